import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Command, EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import styles from "../../styles/later/editor.css";
import { adoptStyles } from "../adopt-styles.ts";
import type { ContentData } from "../authoring/at-path.ts";
import { useWorkBeforeFormSubmit } from "../components/before-form-submit.ts";
import { useContentLanguage } from "../markup/content-language.ts";
import { explainError } from "../query.tsx";
import { t } from "../texts.ts";
import { insertAndUploadPictures } from "./add-pictures.ts";
import { blocksToEditorDocument, editorDocumentToBlocks } from "./blocks-to-document.ts";
import { editorNodeViews } from "./node-views.ts";
import { createPasteAndDropPlugin } from "./paste-and-drop.ts";
import { createEditorPlugins } from "./plugins.ts";
import { type EditorPanelName, SelectedNodeFields } from "./selection-fields.tsx";
import { EditorToolbar } from "./toolbar.tsx";
import { uploadContentPicture } from "./upload-picture.ts";

// The library measures the page's styles when it starts.
adoptStyles(styles);

export type RichTextEditorProps = {
  label: string;
  university: number;
  course: number;
  /** Paragraphs of Markdown, formulas, pictures and links. */
  blocks: readonly ContentData[];
  onChange: (blocks: ContentData[]) => void;
  /** The blocks as they come back after `onChange`, if the parent stores them in another form. */
  stored?: (blocks: ContentData[]) => ContentData[];
};

const asTheyAre = (blocks: ContentData[]): ContentData[] => blocks;

export function RichTextEditor({
  label,
  university,
  course,
  blocks,
  onChange,
  stored = asTheyAre,
}: RichTextEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const name = useId();
  const lang = useContentLanguage();
  const [view, setView] = useState<EditorView>();
  const [, draw] = useState<EditorState>();
  const [panel, setPanel] = useState<EditorPanelName>();
  const [fault, setFault] = useState("");
  const uploads = useRef(new Set<Promise<void>>());
  const latest = useRef(onChange);
  latest.current = onChange;
  /** The blocks of the document, to recognize changes made elsewhere. */
  const written = useRef("");
  const reset = useRef((_: readonly ContentData[]) => {});

  const addFiles = (view: EditorView, files: readonly File[], at: number) => {
    setFault("");
    const upload = insertAndUploadPictures(view, files, at, (file) => uploadContentPicture(file, course));
    const shown = upload.catch((error) => setFault(explainError(error)));
    uploads.current.add(upload);
    shown.finally(() => uploads.current.delete(upload));
  };
  useWorkBeforeFormSubmit(box, () => Promise.all(uploads.current));

  useLayoutEffect(() => {
    const openLink: Command = (_, dispatch) => {
      if (dispatch) setPanel("link");
      return true;
    };
    const plugins = [
      createPasteAndDropPlugin({
        addPictures: addFiles,
        onLostPictures: (n) => setFault(t("editor.pictures.lost", { n })),
      }),
      ...createEditorPlugins(openLink),
    ];
    const stateOf = (of: readonly ContentData[]) =>
      EditorState.create({ doc: blocksToEditorDocument(of), plugins });
    const made = new EditorView(place.current, {
      state: stateOf(blocks),
      nodeViews: editorNodeViews,
      attributes: { role: "textbox", "aria-multiline": "true", "aria-labelledby": name, class: "prose" },
      dispatchTransaction(transaction) {
        made.updateState(made.state.apply(transaction));
        draw(made.state);
        if (!transaction.docChanged) return;
        const next = editorDocumentToBlocks(made.state.doc);
        written.current = JSON.stringify(stored(next));
        latest.current(next);
        // The form notices edits by events, which commands do not fire.
        box.current?.dispatchEvent(new Event("input", { bubbles: true }));
      },
    });
    written.current = JSON.stringify(blocks);
    reset.current = (of) => made.updateState(stateOf(of));
    setView(made);
    return () => made.destroy();
  }, []);

  const given = JSON.stringify(blocks);
  useLayoutEffect(() => {
    if (given === written.current) return;
    written.current = given;
    reset.current(blocks);
    draw(view?.state);
  }, [given]);

  const run = (command: Command) => {
    if (!view) return;
    command(view.state, view.dispatch, view);
    view.focus();
  };
  const chooseFiles = (files: readonly File[]) => {
    if (view) addFiles(view, files, view.state.selection.from);
  };
  const closePanel = () => {
    setPanel(undefined);
    view?.focus();
  };
  return (
    <div class="rich-text" data-drafted ref={box}>
      <span id={name} class="label">
        {label}
      </span>
      {view && <EditorToolbar state={view.state} run={run} panel={panel} onPanel={setPanel} />}
      <div class="writing" lang={lang} ref={place} />
      {view && (
        <SelectedNodeFields
          state={view.state}
          view={view}
          run={run}
          university={university}
          panel={panel}
          onFiles={chooseFiles}
          onDone={closePanel}
        />
      )}
      <p class="fault" role="status">
        {fault}
      </p>
    </div>
  );
}
