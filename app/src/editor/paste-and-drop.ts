import { Plugin, Selection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { pastedHtmlToEditorSlice } from "./read-markdown.ts";

type PasteOptions = {
  addPictures: (view: EditorView, files: readonly File[], at: number) => void;
  onLostPictures: (count: number) => void;
};

const picturesIn = (data: DataTransfer): File[] =>
  [...data.files].filter(({ type }) => type.startsWith("image/"));

/** Programs add a picture of what they copy, which is wanted only if it has no text. */
const hasWords = (data: DataTransfer): boolean => data.getData("text/plain").trim() !== "";

/**
 * Handles pictures and HTML that are pasted or dropped. The library's own parser assigns to `innerHTML`, which
 * Trusted Types forbid.
 */
export function createPasteAndDropPlugin({ addPictures, onLostPictures }: PasteOptions): Plugin {
  const take = (view: EditorView, data: DataTransfer, at: number): boolean => {
    const pictures = picturesIn(data);
    if (pictures.length > 0 && !hasWords(data)) {
      addPictures(view, pictures, at);
      return true;
    }
    const html = data.getData("text/html");
    if (html.trim() === "" || view.state.doc.resolve(at).parent.type.spec.code) return false;
    const { slice, lostPictures } = pastedHtmlToEditorSlice(html);
    view.dispatch(view.state.tr.replaceSelection(slice).scrollIntoView());
    if (lostPictures > 0) onLostPictures(lostPictures);
    return true;
  };
  return new Plugin({
    props: {
      handleDOMEvents: {
        paste(view, event) {
          const isTaken =
            event.clipboardData !== null && take(view, event.clipboardData, view.state.selection.from);
          if (isTaken) event.preventDefault();
          return isTaken;
        },
        drop(view, event) {
          if (!event.dataTransfer || view.dragging) return false;
          const place = view.posAtCoords({ left: event.clientX, top: event.clientY });
          const at = place?.pos ?? view.state.doc.content.size;
          view.dispatch(view.state.tr.setSelection(Selection.near(view.state.doc.resolve(at), -1)));
          const isTaken = take(view, event.dataTransfer, at);
          if (isTaken) event.preventDefault();
          return isTaken;
        },
      },
    },
  });
}
