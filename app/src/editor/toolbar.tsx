import type { ComponentChildren } from "preact";
import { setBlockType, toggleMark } from "prosemirror-commands";
import { redo, undo } from "prosemirror-history";
import type { Mark, MarkType } from "prosemirror-model";
import type { Command, EditorState } from "prosemirror-state";
import { type TextKey, t } from "../texts.ts";
import {
  insertFormula,
  insertTable,
  isSelectionInNode,
  linkAddressAtSelection,
  toggleList,
  toggleQuote,
} from "./commands.ts";
import { EditorIcon } from "./icons.tsx";
import { editorSchema } from "./schema.ts";
import type { EditorPanelName } from "./selection-fields.tsx";

const { nodes, marks } = editorSchema;

type Tool = {
  name: TextKey;
  sign: ComponentChildren;
  tag?: "b" | "i" | "s" | "span" | undefined;
  command: Command;
  isOn?: boolean;
};

type ToolbarProps = {
  state: EditorState;
  run: (command: Command) => void;
  panel: EditorPanelName | undefined;
  onPanel: (panel: EditorPanelName) => void;
};

const blockTypes = {
  text: setBlockType(nodes.paragraph),
  heading: setBlockType(nodes.heading, { level: 2 }),
  subheading: setBlockType(nodes.heading, { level: 3 }),
  small: setBlockType(nodes.heading, { level: 4 }),
  code: setBlockType(nodes.code_block),
} satisfies Record<string, Command>;

type BlockType = keyof typeof blockTypes;

const names = Object.keys(blockTypes) as BlockType[];

function blockTypeOf({ selection: { $from } }: EditorState): BlockType {
  const { type, attrs } = $from.parent;
  if (type === nodes.code_block) return "code";
  if (type !== nodes.heading) return "text";
  return attrs["level"] <= 2 ? "heading" : attrs["level"] === 3 ? "subheading" : "small";
}

function hasMark(
  { selection: { from, to, $from, empty }, storedMarks, doc }: EditorState,
  type: MarkType,
): boolean {
  if (!empty) return doc.rangeHasMark(from, to, type);
  const present: readonly Mark[] = storedMarks ?? $from.marks();
  return type.isInSet(present) !== undefined;
}

type MarkTool = [name: TextKey, sign: string, mark: MarkType, tag?: Tool["tag"]];

const markTools: readonly MarkTool[] = [
  ["editor.bold", "B", marks.strong, "b"],
  ["editor.italic", "I", marks.em, "i"],
  ["editor.strike", "S", marks.strike, "s"],
  ["editor.code", "<>", marks.code],
  ["editor.sub", "₂", marks.sub],
  ["editor.sup", "²", marks.sup],
];

const toolsFor = (state: EditorState): Record<"characters" | "parts" | "inserts" | "changes", Tool[]> => ({
  characters: markTools.map(([name, sign, mark, tag]) => ({
    ...{ name, sign, tag },
    ...{ command: toggleMark(mark), isOn: hasMark(state, mark) },
  })),
  parts: (
    [
      [
        "editor.bullets",
        <EditorIcon key="bullets" of="bullets" />,
        toggleList(nodes.bullet_list),
        nodes.bullet_list,
      ],
      [
        "editor.numbers",
        <EditorIcon key="numbers" of="numbers" />,
        toggleList(nodes.ordered_list),
        nodes.ordered_list,
      ],
      ["editor.quote", <EditorIcon key="quote" of="quote" />, toggleQuote, nodes.blockquote],
    ] as const
  ).map(([name, sign, command, node]) => ({ name, sign, command, isOn: isSelectionInNode(state, node) })),
  inserts: [
    { name: "editor.formula", sign: "∑", command: insertFormula },
    {
      name: "editor.table",
      sign: <EditorIcon of="table" />,
      command: insertTable,
      isOn: isSelectionInNode(state, nodes.table),
    },
  ],
  changes: [
    { name: "editor.undo", sign: <EditorIcon of="undo" />, command: undo },
    { name: "editor.redo", sign: <EditorIcon of="redo" />, command: redo },
  ],
});

/** Formatting of the selection. Arrow keys move between the buttons. */
export function EditorToolbar({ state, run, panel, onPanel }: ToolbarProps) {
  const { characters, parts, inserts, changes } = toolsFor(state);
  const toolOf = ({ command, ...tool }: Tool) => (
    <ToolButton key={tool.name} {...tool} isDisabled={!command(state)} onPress={() => run(command)} />
  );
  return (
    <div class="tools" role="toolbar" aria-label={t("editor.tools")} onKeyDown={moveFocus}>
      <select
        aria-label={t("editor.style")}
        value={blockTypeOf(state)}
        onChange={({ currentTarget }) => run(blockTypes[currentTarget.value as BlockType])}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {t(`editor.style.${name}`)}
          </option>
        ))}
      </select>
      {characters.map(toolOf)}
      {parts.map(toolOf)}
      <ToolButton
        name="editor.link"
        sign={<EditorIcon of="link" />}
        isOn={panel === "link" || linkAddressAtSelection(state) !== undefined}
        onPress={() => onPanel("link")}
      />
      {inserts.map(toolOf)}
      <ToolButton
        name="editor.picture"
        sign={<EditorIcon of="picture" />}
        isOn={panel === "picture"}
        onPress={() => onPanel("picture")}
      />
      {changes.map(toolOf)}
    </div>
  );
}

type ToolButtonProps = Pick<Tool, "name" | "sign" | "tag" | "isOn"> & {
  isDisabled?: boolean;
  onPress: () => void;
};

/** Stays focusable while it has no effect, so that the focus is not lost. */
const ToolButton = ({
  name,
  sign,
  tag: Sign = "span",
  isOn,
  isDisabled = false,
  onPress,
}: ToolButtonProps) => (
  <button
    type="button"
    class="quiet"
    aria-label={t(name)}
    title={t(name)}
    aria-pressed={isOn}
    aria-disabled={isDisabled}
    // Pressing a button must not end the selection.
    onMouseDown={(event) => event.preventDefault()}
    onClick={onPress}
  >
    <Sign aria-hidden="true">{sign}</Sign>
  </button>
);

function moveFocus(event: KeyboardEvent): void {
  const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
  const bar = event.currentTarget as HTMLElement;
  if (by === 0 || event.target instanceof HTMLSelectElement) return;
  const buttons = [...bar.querySelectorAll<HTMLElement>("button")];
  const at = buttons.indexOf(event.target as HTMLElement);
  event.preventDefault();
  buttons.at((at + by) % buttons.length)?.focus();
}
