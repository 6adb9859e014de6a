import { lift, wrapIn } from "prosemirror-commands";
import type { Attrs, NodeType } from "prosemirror-model";
import { liftListItem, wrapInList } from "prosemirror-schema-list";
import { type Command, type EditorState, NodeSelection, TextSelection } from "prosemirror-state";
import { editorSchema } from "./schema.ts";

const { nodes, marks } = editorSchema;

export const isSelectionInNode = ({ selection: { $from } }: EditorState, type: NodeType): boolean =>
  Array.from({ length: $from.depth + 1 }, (_, depth) => $from.node(depth)).some((node) => node.type === type);

const isList = (type: NodeType): boolean => type === nodes.bullet_list || type === nodes.ordered_list;

/** Makes the selected paragraphs a list, its items paragraphs again, or one kind of list the other. */
export const toggleList =
  (type: NodeType): Command =>
  (state, dispatch) => {
    const { $from } = state.selection;
    const depth = Array.from({ length: $from.depth + 1 }, (_, at) => at).findLast((at) =>
      isList($from.node(at).type),
    );
    if (depth === undefined) return wrapInList(type)(state, dispatch);
    const list = $from.node(depth);
    if (list.type === type) return liftListItem(nodes.list_item)(state, dispatch);
    dispatch?.(state.tr.setNodeMarkup($from.before(depth), type, { tight: list.attrs["tight"] }));
    return true;
  };

/** Quotes the selected paragraphs, or ends the quote around them. */
export const toggleQuote: Command = (state, dispatch) =>
  (isSelectionInNode(state, nodes.blockquote) ? lift : wrapIn(nodes.blockquote))(state, dispatch);

/** Replaces the selected text with a formula of the same LaTeX, and selects the formula. */
export const insertFormula: Command = (state, dispatch) => {
  const { from, to, $from } = state.selection;
  if (
    !$from.parent.inlineContent ||
    !$from.parent.canReplaceWith($from.index(), $from.index(), nodes.formula)
  )
    return false;
  if (!dispatch) return true;
  const formula = nodes.formula.create({ latex: state.doc.textBetween(from, to) });
  const tr = state.tr.replaceSelectionWith(formula, false);
  tr.setSelection(NodeSelection.create(tr.doc, from));
  dispatch(tr.scrollIntoView());
  return true;
};

const size = 3;

/** Inserts a table of three rows and columns. The first row is its header. */
export const insertTable: Command = (state, dispatch) => {
  if (isSelectionInNode(state, nodes.table)) return false;
  if (!dispatch) return true;
  const rowOf = (cell: NodeType) =>
    nodes.table_row.create(
      null,
      Array.from({ length: size }, () => cell.create(null, nodes.paragraph.create())),
    );
  const table = nodes.table.create(null, [
    rowOf(nodes.table_header),
    ...Array.from({ length: size - 1 }, () => rowOf(nodes.table_cell)),
  ]);
  const { $from } = state.selection;
  const at = $from.depth === 0 ? state.selection.to : $from.after(1);
  const tr = state.tr.insert(at, table);
  tr.setSelection(TextSelection.near(tr.doc.resolve(at + 1)));
  dispatch(tr.scrollIntoView());
  return true;
};

type Range = { from: number; to: number };

/** The whole link around the cursor, or the selection. */
function linkedRange({ selection }: EditorState): Range {
  const { $from, from, to, empty } = selection;
  // The link follows a selected formula or picture.
  if (selection instanceof NodeSelection) return { from: to, to };
  const link = marks.link.isInSet($from.marks());
  if (!empty || !link) return { from, to };
  const { parent } = $from;
  let [first, end] = [$from.index(), $from.indexAfter()];
  while (first > 0 && link.isInSet(parent.child(first - 1).marks)) first -= 1;
  while (end < parent.childCount && link.isInSet(parent.child(end).marks)) end += 1;
  let start = $from.start();
  for (let at = 0; at < first; at += 1) start += parent.child(at).nodeSize;
  let stop = start;
  for (let at = first; at < end; at += 1) stop += parent.child(at).nodeSize;
  return { from: start, to: stop };
}

/** The address of the link at the cursor or in the selection. */
export function linkAddressAtSelection(state: EditorState): string | undefined {
  const { $from, from, to, empty } = state.selection;
  let href = marks.link.isInSet($from.marks())?.attrs["href"];
  if (!empty)
    state.doc.nodesBetween(from, to, (node) => {
      href ??= marks.link.isInSet(node.marks)?.attrs["href"];
    });
  return href;
}

/** Links the selection. Without one, inserts the address as the link's text. */
export const setLink =
  (href: string): Command =>
  (state, dispatch) => {
    const { from, to } = linkedRange(state);
    const link = marks.link.create({ href: encodeBrackets(href) });
    const tr = state.tr.removeMark(from, to, marks.link);
    if (from === to) tr.insert(from, editorSchema.text(href, [link]));
    else tr.addMark(from, to, link);
    dispatch?.(tr);
    return true;
  };

export const removeLink: Command = (state, dispatch) => {
  const { from, to } = linkedRange(state);
  dispatch?.(state.tr.removeMark(from, to, marks.link));
  return true;
};

/** A bracket or space would end a Markdown link's address. */
const encodeBrackets = (href: string): string =>
  href.trim().replaceAll(/[()<>\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** Sets attributes of the selected node, which stays selected. */
export const setSelectedNodeAttributes =
  (attributes: Attrs): Command =>
  (state, dispatch) => {
    const { selection } = state;
    if (!(selection instanceof NodeSelection)) return false;
    const tr = state.tr.setNodeMarkup(selection.from, null, { ...selection.node.attrs, ...attributes });
    dispatch?.(tr.setSelection(NodeSelection.create(tr.doc, selection.from)));
    return true;
  };
