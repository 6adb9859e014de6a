import { type AttributeSpec, type NodeSpec, Schema } from "prosemirror-model";
import { tableNodes } from "prosemirror-tables";

const webAddress = /^(?:https?:|mailto:)/i;

/** Links and pictures of other schemes are dropped, as the renderer drops them. */
export const isWebOrMailAddress = (address: string | null): address is string =>
  address !== null && webAddress.test(address);

const attribute = (initial: unknown): AttributeSpec => ({ default: initial });

const idAt = (element: HTMLElement, name: string): number | null =>
  Number(element.dataset[name] ?? "") || null;

/** A list is tight unless its items contain paragraphs, as Markdown renderers mark it. */
const isTight = (list: HTMLElement): boolean => !list.querySelector(":scope > li > p");

const tables = tableNodes({
  tableGroup: "block",
  cellContent: "paragraph",
  cellAttributes: {
    align: {
      default: null,
      getFromDOM: (cell) => cell.getAttribute("align"),
      setDOMAttr: (align, attributes) => {
        if (align) attributes["align"] = align;
      },
    },
  },
});

/** Only at the top level of a text, because each is stored as a block of its own. */
const parts = {
  /** An uploaded picture or an asset. `upload` is set until the file has an id. */
  picture: {
    group: "part",
    attrs: {
      file_id: attribute(null),
      asset_id: attribute(null),
      caption: attribute(""),
      upload: attribute(null),
    },
    draggable: true,
    parseDOM: [
      {
        tag: "img[data-file], img[data-asset]",
        priority: 60,
        getAttrs: (picture) => ({
          file_id: idAt(picture, "file"),
          asset_id: idAt(picture, "asset"),
          caption: picture.getAttribute("alt") ?? "",
        }),
      },
    ],
    toDOM: ({ attrs }) => [
      "img",
      { "data-file": attrs["file_id"], "data-asset": attrs["asset_id"], alt: attrs["caption"] },
    ],
  },
  /** Markdown that the other nodes cannot represent. It is edited as text. */
  source: {
    group: "part",
    attrs: { markdown: attribute("") },
    draggable: true,
    parseDOM: [
      {
        tag: "div[data-markdown]",
        getAttrs: (element) => ({ markdown: element.dataset["markdown"] ?? "" }),
      },
    ],
    toDOM: ({ attrs }) => ["div", { "data-markdown": attrs["markdown"] }],
  },
} satisfies Record<string, NodeSpec>;

/** The document of the rich-text editor. Names follow prosemirror-markdown. */
export const editorSchema = new Schema({
  nodes: {
    doc: { content: "(block | part)+" },
    paragraph: {
      content: "inline*",
      group: "block",
      parseDOM: [{ tag: "p" }],
      toDOM: () => ["p", 0],
    },
    heading: {
      attrs: { level: attribute(2) },
      content: "inline*",
      group: "block",
      defining: true,
      parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level } })),
      toDOM: ({ attrs }) => [`h${attrs["level"]}`, 0],
    },
    blockquote: {
      content: "block+",
      group: "block",
      defining: true,
      parseDOM: [{ tag: "blockquote" }],
      toDOM: () => ["blockquote", 0],
    },
    code_block: {
      attrs: { params: attribute("") },
      content: "text*",
      marks: "",
      group: "block",
      code: true,
      defining: true,
      parseDOM: [
        {
          tag: "pre",
          preserveWhitespace: "full",
          getAttrs: (pre) => ({
            params: /language-(\S+)/.exec(pre.querySelector("code")?.className ?? "")?.[1] ?? "",
          }),
        },
      ],
      toDOM: () => ["pre", ["code", 0]],
    },
    horizontal_rule: {
      group: "block",
      parseDOM: [{ tag: "hr" }],
      toDOM: () => ["hr"],
    },
    bullet_list: {
      attrs: { tight: attribute(true) },
      content: "list_item+",
      group: "block",
      parseDOM: [{ tag: "ul", getAttrs: (list) => ({ tight: isTight(list) }) }],
      toDOM: () => ["ul", 0],
    },
    ordered_list: {
      attrs: { tight: attribute(true), order: attribute(1) },
      content: "list_item+",
      group: "block",
      parseDOM: [
        {
          tag: "ol",
          getAttrs: (list) => ({ tight: isTight(list), order: Number(list.getAttribute("start") ?? 1) }),
        },
      ],
      toDOM: ({ attrs }) => ["ol", { start: attrs["order"] === 1 ? null : attrs["order"] }, 0],
    },
    list_item: {
      content: "paragraph block*",
      defining: true,
      parseDOM: [{ tag: "li" }],
      toDOM: () => ["li", 0],
    },
    ...tables,
    ...parts,
    text: { group: "inline" },
    /** LaTeX, in its line or on a line of its own. */
    formula: {
      attrs: { latex: attribute(""), display: attribute(false) },
      inline: true,
      group: "inline",
      atom: true,
      parseDOM: [
        {
          tag: "span[data-latex]",
          getAttrs: (element) => ({
            latex: element.dataset["latex"] ?? "",
            display: element.dataset["display"] === "true",
          }),
        },
        {
          // Pages with MathML often contain its LaTeX.
          tag: "math",
          getAttrs: (math) => {
            const latex = math.querySelector("annotation[encoding='application/x-tex']")?.textContent;
            return latex ? { latex, display: math.getAttribute("display") === "block" } : false;
          },
        },
      ],
      toDOM: ({ attrs }) => [
        "span",
        { "data-latex": attrs["latex"], "data-display": String(attrs["display"]) },
        attrs["display"] ? `$$${attrs["latex"]}$$` : `$${attrs["latex"]}$`,
      ],
    },
    /** A picture at another site. */
    image: {
      attrs: { src: attribute(""), alt: attribute(""), title: attribute(null) },
      inline: true,
      group: "inline",
      draggable: true,
      parseDOM: [
        {
          tag: "img[src]",
          getAttrs: (image) => {
            const src = image.getAttribute("src");
            if (!isWebOrMailAddress(src)) return false;
            return { src, alt: image.getAttribute("alt") ?? "", title: image.getAttribute("title") };
          },
        },
      ],
      toDOM: ({ attrs }) => ["img", attrs],
    },
    hard_break: {
      inline: true,
      group: "inline",
      selectable: false,
      parseDOM: [{ tag: "br" }],
      toDOM: () => ["br"],
    },
  },
  marks: {
    link: {
      attrs: { href: attribute(""), title: attribute(null) },
      inclusive: false,
      parseDOM: [
        {
          tag: "a[href]",
          getAttrs: (link) => {
            const href = link.getAttribute("href");
            return isWebOrMailAddress(href) ? { href, title: link.getAttribute("title") } : false;
          },
        },
      ],
      toDOM: ({ attrs }) => ["a", { href: attrs["href"], title: attrs["title"], rel: "noopener" }, 0],
    },
    em: {
      parseDOM: [{ tag: "i" }, { tag: "em" }, { style: "font-style=italic" }],
      toDOM: () => ["em", 0],
    },
    strong: {
      parseDOM: [
        { tag: "strong" },
        // Google Docs wraps what it copies in a `b` of normal weight.
        { tag: "b", getAttrs: (element) => element.style.fontWeight !== "normal" && null },
        { style: "font-weight", getAttrs: (weight) => /^(bold(er)?|[6-9]\d\d)$/.test(weight) && null },
      ],
      toDOM: () => ["strong", 0],
    },
    strike: {
      parseDOM: [{ tag: "del" }, { tag: "s" }, { tag: "strike" }, { style: "text-decoration=line-through" }],
      toDOM: () => ["del", 0],
    },
    sub: { excludes: "sup", parseDOM: [{ tag: "sub" }], toDOM: () => ["sub", 0] },
    sup: { excludes: "sub", parseDOM: [{ tag: "sup" }], toDOM: () => ["sup", 0] },
    code: { code: true, parseDOM: [{ tag: "code" }], toDOM: () => ["code", 0] },
  },
});
