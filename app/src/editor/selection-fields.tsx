import { useEffect, useRef, useState } from "preact/hooks";
import { type Command, type EditorState, NodeSelection } from "prosemirror-state";
import { addColumnAfter, addRowAfter, deleteColumn, deleteRow, deleteTable } from "prosemirror-tables";
import type { EditorView } from "prosemirror-view";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { type TextKey, t } from "../texts.ts";
import {
  isSelectionInNode,
  linkAddressAtSelection,
  removeLink,
  setLink,
  setSelectedNodeAttributes,
} from "./commands.ts";
import { InsertPictureFields, SharePictureWithUniversityButton } from "./picture-fields.tsx";
import { editorSchema, isWebOrMailAddress } from "./schema.ts";

const { nodes } = editorSchema;

export type EditorPanelName = "link" | "picture";

type SelectionProps = {
  state: EditorState;
  view: EditorView;
  run: (command: Command) => void;
  university: number;
  /** A panel that a tool opened. */
  panel: EditorPanelName | undefined;
  onFiles: (files: readonly File[]) => void;
  onDone: () => void;
};

/** What the selected link, formula, picture, table or Markdown can change. */
export function SelectedNodeFields({ state, view, run, university, panel, onFiles, onDone }: SelectionProps) {
  const { selection } = state;
  const selected = selection instanceof NodeSelection ? selection.node : undefined;
  const set = (attributes: object) => setSelectedNodeAttributes(attributes)(view.state, view.dispatch);
  const back = () => view.focus();
  const link = linkAddressAtSelection(state);
  if (panel === "link") return <LinkFields address={link ?? ""} run={run} onDone={onDone} />;
  if (panel === "picture") return <InsertPictureFields {...{ university, run, onFiles, onDone }} />;
  if (selected?.type === nodes.formula)
    return (
      <div class="selection">
        <TextOf
          label={t("editor.latex")}
          value={selected.attrs["latex"]}
          isFocused={selected.attrs["latex"] === ""}
          onChange={(latex) => set({ latex })}
          onEnd={back}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={selected.attrs["display"]}
            onChange={({ currentTarget }) => set({ display: currentTarget.checked })}
          />
          {t("editor.own.line")}
        </label>
      </div>
    );
  if (selected?.type === nodes.picture)
    return (
      <div class="selection">
        <TextOf
          label={t("block.caption")}
          value={selected.attrs["caption"]}
          onChange={(caption) => set({ caption })}
          onEnd={back}
        />
        {selected.attrs["file_id"] && (
          <SharePictureWithUniversityButton
            university={university}
            file={selected.attrs["file_id"]}
            onShared={(asset_id) => set({ asset_id, file_id: null })}
          />
        )}
      </div>
    );
  if (selected?.type === nodes.source)
    return (
      <div class="selection">
        <TextOf
          label={t("editor.markdown")}
          rows={8}
          value={selected.attrs["markdown"]}
          onChange={(markdown) => set({ markdown })}
          onEnd={back}
        />
        <small>{t("editor.markdown.about")}</small>
      </div>
    );
  if (isSelectionInNode(state, nodes.table)) return <TableButtons run={run} />;
  return null;
}

type TextOfProps = {
  label: string;
  value: string;
  rows?: number;
  isFocused?: boolean;
  onChange: (value: string) => void;
  onEnd: () => void;
};

/** A text of the selected node. Enter returns to the document; in a longer text, Escape does. */
function TextOf({ label, value, rows = 1, isFocused = false, onChange, onEnd }: TextOfProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isFocused) field.current?.focus();
  }, []);
  return (
    <label>
      {label}
      <textarea
        ref={field}
        rows={rows}
        value={value}
        spellcheck={rows === 1 ? undefined : false}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" && (event.key !== "Enter" || rows > 1)) return;
          event.preventDefault();
          onEnd();
        }}
      />
    </label>
  );
}

type LinkProps = { address: string; run: (command: Command) => void; onDone: () => void };

function LinkFields({ address, run, onDone }: LinkProps) {
  const [typed, setTyped] = useState(address);
  const [isRefused, setRefused] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const save = () => {
    const href = /^\w[\w+.-]*:/.test(typed.trim()) ? typed.trim() : `https://${typed.trim()}`;
    if (typed.trim() === "" || !isWebOrMailAddress(href) || !URL.canParse(href)) return setRefused(true);
    run(setLink(href));
    onDone();
  };
  return (
    <div class="selection">
      <label>
        {t("link.url")}
        <input
          ref={field}
          type="url"
          placeholder="https://"
          value={typed}
          aria-invalid={isRefused || undefined}
          aria-describedby="link-fault"
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setRefused(false);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") onDone();
            if (event.key !== "Enter") return;
            event.preventDefault();
            save();
          }}
        />
      </label>
      <small id="link-fault" class="fault" role="status">
        {isRefused && t("editor.link.refused")}
      </small>
      <div class="row">
        <ButtonWithFocusFallback onClick={save}>{t("editor.link.set")}</ButtonWithFocusFallback>
        {address !== "" && (
          <ButtonWithFocusFallback
            class="quiet"
            onClick={() => {
              run(removeLink);
              onDone();
            }}
          >
            {t("editor.link.remove")}
          </ButtonWithFocusFallback>
        )}
        <ButtonWithFocusFallback class="quiet" onClick={onDone}>
          {t("cancel")}
        </ButtonWithFocusFallback>
      </div>
    </div>
  );
}

const tableCommands: readonly (readonly [TextKey, Command])[] = [
  ["editor.row.add", addRowAfter],
  ["editor.column.add", addColumnAfter],
  ["editor.row.delete", deleteRow],
  ["editor.column.delete", deleteColumn],
  ["editor.table.delete", deleteTable],
];

const TableButtons = ({ run }: { run: (command: Command) => void }) => (
  <div class="selection row">
    {tableCommands.map(([name, command]) => (
      <ButtonWithFocusFallback key={name} class="quiet" onClick={() => run(command)}>
        {t(name)}
      </ButtonWithFocusFallback>
    ))}
  </div>
);
