// This module replaces the packages that draw on a terminal. It exports the components that are only text, for
// renderers of messages. The host lays the lines out; therefore widths and paddings have no effect here.
class Component {
  invalidate() {}
}

const same = line => line;

export class Text extends Component {
  #text;
  #background;
  constructor(text = "", _paddingX, _paddingY, background = same) {
    super();
    this.#text = text;
    this.#background = background;
  }
  setText(text) {
    this.#text = text;
  }
  setCustomBgFn(background = same) {
    this.#background = background;
  }
  render() {
    return String(this.#text).split("\n").map(line => this.#background(line));
  }
}

export class TruncatedText extends Text {
  render() {
    return super.render().slice(0, 1);
  }
}

export class Markdown extends Text {
  constructor(text, paddingX, paddingY) {
    super(text, paddingX, paddingY); // a further argument, the theme, has no effect here
  }
}

export class Spacer extends Component {
  #lines;
  constructor(lines = 1) {
    super();
    this.#lines = lines;
  }
  setLines(lines) {
    this.#lines = lines;
  }
  render() {
    return new Array(this.#lines).fill("");
  }
}

export class Container extends Component {
  children = [];
  addChild(child) {
    this.children.push(child);
  }
  removeChild(child) {
    this.children = this.children.filter(other => other !== child);
  }
  clear() {
    this.children = [];
  }
  render(width) {
    return this.children.flatMap(child => child.render(width));
  }
}

export class Box extends Container {
  #background;
  constructor(_paddingX, _paddingY, background = same) {
    super();
    this.#background = background;
  }
  setBgFn(background = same) {
    this.#background = background;
  }
  render(width) {
    return super.render(width).map(line => this.#background(line));
  }
}

// Key has the names of keys by which shortcuts are registered.
const named = {};
for (const name of [
  "escape", "esc", "enter", "return", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end", "pageUp", "pageDown",
  "up", "down", "left", "right",
]) named[name] = name;
const held = (...keys) => name => `${keys.join("+")}+${name}`;
export const Key = {
  ...named,
  ctrl: held("ctrl"),
  shift: held("shift"),
  alt: held("alt"),
  ctrlShift: held("ctrl", "shift"),
  shiftCtrl: held("shift", "ctrl"),
  ctrlAlt: held("ctrl", "alt"),
  altCtrl: held("alt", "ctrl"),
  shiftAlt: held("shift", "alt"),
  altShift: held("alt", "shift"),
  ctrlShiftAlt: held("ctrl", "shift", "alt"),
};
