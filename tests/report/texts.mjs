// What is wrong with the texts of a page: on one another, cut, out of their place.

/** Everything wrong with the texts of a section; runs in the page. */
export function wrongTexts() {
  const TOUCH = 3; // pixels by which boxes of letters may meet
  const found = [];
  /** What is seen of a box in what scrolls by itself. */
  const seen = (box, element) => {
    const clip = element.closest('.scroll, pre, .side')?.getBoundingClientRect() ?? box;
    const [left, top] = [Math.max(box.left, clip.left), Math.max(box.top, clip.top)];
    const [right, bottom] = [Math.min(box.right, clip.right), Math.min(box.bottom, clip.bottom)];
    return {left, top, right, bottom, width: right - left, height: bottom - top};
  };
  const textsOf = (root) => {
    const texts = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.data.trim() || !element.checkVisibility() || element.closest('select, .zr-tooltip, [hidden]')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const whole of range.getClientRects()) {
        const box = seen(whole, element);
        if (box.width > 1 && box.height > 1) texts.push({text: node.data.trim().slice(0, 80), box, element});
      }
    }
    return texts.sort((a, b) => a.box.top - b.box.top);
  };
  const overlap = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > TOUCH &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > TOUCH;
  for (const root of document.querySelectorAll('header.head, .side, main > section, footer')) {
    const texts = textsOf(root);
    const name = root.id || root.className;
    texts.forEach((one, index) => {
      for (const other of texts.slice(index + 1)) {
        if (other.box.top > one.box.bottom) break;
        if (one.element !== other.element && overlap(one.box, other.box))
          found.push(`${name}: "${one.text}" lies on "${other.text}"`);
      }
      const svg = one.element.closest('.chart svg');
      const place = (svg ?? root).getBoundingClientRect();
      const out =
        one.box.left < place.left - 1 ||
        one.box.right > place.right + 1 ||
        one.box.top < place.top - 1 ||
        one.box.bottom > place.bottom + 1;
      if (out) found.push(`${name}: "${one.text}" leaves its place`);
      if (svg && /…$|\.\.\.$/.test(one.text)) found.push(`${name}: "${one.text}" is cut`);
    });
  }
  if (document.documentElement.scrollWidth > window.innerWidth) found.push('the page scrolls sideways');
  return found;
}
