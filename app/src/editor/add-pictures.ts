import { TextSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { editorSchema } from "./schema.ts";

const { nodes } = editorSchema;

let uploads = 0;

const captionOf = ({ name }: File): string => name.replace(/\.\w+$/, "");

/** Inserts pictures below the top-level node at a position, or instead of an empty paragraph. */
function insertPictures(view: EditorView, files: readonly File[], at: number): string[] {
  const { tr, doc } = view.state;
  const $at = doc.resolve(Math.min(at, doc.content.size));
  const around = $at.depth > 0 ? $at.node(1) : undefined;
  const isEmpty = around?.type === nodes.paragraph && around.childCount === 0;
  const end = around ? $at.after(1) : $at.pos;
  const keys = files.map(() => `${++uploads}`);
  const pictures = files.map((file, index) =>
    nodes.picture.create({ upload: keys[index], caption: captionOf(file) }),
  );
  tr.replaceWith(isEmpty ? $at.before(1) : end, end, pictures);
  const below = tr.mapping.map(end);
  if (!tr.doc.nodeAt(below)?.isTextblock) tr.insert(below, nodes.paragraph.create());
  view.dispatch(tr.setSelection(TextSelection.create(tr.doc, below + 1)).scrollIntoView());
  return keys;
}

/** Gives the picture of an upload its file, or removes it. Its position may have changed. */
function settle(view: EditorView, key: string, file_id: number | undefined): void {
  if (view.isDestroyed) return;
  view.state.doc.descendants((node, at) => {
    if (node.attrs["upload"] !== key) return;
    const { tr } = view.state;
    if (file_id === undefined) tr.delete(at, at + node.nodeSize);
    else tr.setNodeMarkup(at, null, { ...node.attrs, file_id, upload: null });
    view.dispatch(tr.setMeta("addToHistory", false));
  });
}

/** Shows pictures immediately, and uploads them. Rejects with the last error if an upload fails. */
export async function insertAndUploadPictures(
  view: EditorView,
  files: readonly File[],
  at: number,
  upload: (file: File) => Promise<number>,
): Promise<void> {
  const keys = insertPictures(view, files, at);
  const results = await Promise.allSettled(files.map(upload));
  for (const [index, result] of results.entries())
    settle(view, keys[index] ?? "", result.status === "fulfilled" ? result.value : undefined);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
