import { Fragment, type Node } from "prosemirror-model";
import { type ContentData, objectsInListAtPath } from "../authoring/at-path.ts";
import { markdownToEditorNodes } from "./read-markdown.ts";
import { editorSchema, isWebOrMailAddress } from "./schema.ts";
import { editorNodeToMarkdown } from "./write-markdown.ts";

const { nodes, marks } = editorSchema;

/** The block that a node was read from, and all nodes of that block. */
const origins = new WeakMap<Node, { block: ContentData; nodes: readonly Node[] }>();

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function linkItem({ label, url }: ContentData): Node {
  const address = textOf(url);
  const words = textOf(label) || address;
  const text = words
    ? editorSchema.text(words, isWebOrMailAddress(address) ? [marks.link.create({ href: address })] : [])
    : null;
  return nodes.list_item.create(null, nodes.paragraph.create(null, text));
}

function nodesOf(block: ContentData): readonly Node[] {
  switch (block["type"]) {
    case "math": {
      const formula = nodes.formula.create({ latex: textOf(block["latex"]), display: true });
      return [nodes.paragraph.create(null, formula)];
    }
    case "image": {
      const { file_id = null, asset_id = null } = block;
      return [nodes.picture.create({ file_id, asset_id, caption: textOf(block["caption"]) })];
    }
    case "link_list": {
      const items = objectsInListAtPath(block, "items").map(linkItem);
      return items.length > 0 ? [nodes.bullet_list.create(null, items)] : [];
    }
    default:
      return markdownToEditorNodes(textOf(block["text"]));
  }
}

/** The document of stored blocks. */
export function blocksToEditorDocument(blocks: readonly ContentData[]): Node {
  const content = blocks.flatMap((block) => {
    const own = nodesOf(block);
    for (const node of own) origins.set(node, { block, nodes: own });
    return own;
  });
  return nodes.doc.create(null, content.length > 0 ? content : nodes.paragraph.create());
}

/** A display formula without other text in its paragraph. */
function loneFormula(node: Node): string | undefined {
  const child = node.type === nodes.paragraph && node.childCount === 1 ? node.firstChild : null;
  return child?.type === nodes.formula && child.attrs["display"] ? child.attrs["latex"] : undefined;
}

function blockOf(written: readonly Node[]): ContentData | undefined {
  const [node] = written;
  if (node?.type === nodes.picture) {
    const { file_id, asset_id, caption } = node.attrs;
    if (!file_id && !asset_id) return undefined;
    return { type: "image", ...(file_id ? { file_id } : { asset_id }), ...(caption && { caption }) };
  }
  const latex = node && loneFormula(node);
  if (latex !== undefined) return latex.trim() ? { type: "math", latex: latex.trim() } : undefined;
  const text = editorNodeToMarkdown(nodes.doc.create(null, Fragment.from([...written])));
  return text ? { type: "paragraph", text } : undefined;
}

/**
 * The blocks of a document. Unedited blocks stay as they were stored. An edited part is a block for each
 * top-level node, so that sources cite a passage; a heading is in the block of the text below it.
 */
export function editorDocumentToBlocks(doc: Node): ContentData[] {
  const blocks: ContentData[] = [];
  const children = [...doc.children];
  let at = 0;
  while (at < children.length) {
    const node = children[at] as Node;
    const origin = origins.get(node);
    if (origin?.nodes.every((one, offset) => one === children[at + offset])) {
      blocks.push(origin.block);
      at += origin.nodes.length;
      continue;
    }
    const next = children[at + 1];
    const isWithNext =
      node.type === nodes.heading &&
      next?.isTextblock &&
      next.type !== nodes.heading &&
      loneFormula(next) === undefined;
    const written = isWithNext ? [node, next] : [node];
    const block = blockOf(written);
    if (block) blocks.push(block);
    at += written.length;
  }
  return blocks;
}
