// On paper everything that can be opened is open; afterwards it is as the reader left it.

export function openForPaper() {
  let opened = [];
  window.addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    opened.forEach((element) => {
      element.open = true;
    });
  });
  window.addEventListener('afterprint', () => {
    opened.forEach((element) => {
      element.open = false;
    });
    opened = [];
  });
}
