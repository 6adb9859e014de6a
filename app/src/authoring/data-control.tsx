import type { VNode } from "preact";
import { SelectOptions, valueOfEventTarget } from "../components/field.tsx";
import { NumberInput } from "../components/number-input.tsx";
import { type InputTextCodec, useTypedValueInputProps } from "../components/typed-value-input.ts";
import { type TextKey, t } from "../texts.ts";
import { nonEmptyLines } from "../work/non-empty-lines.ts";
import type { ContentData } from "./at-path.ts";

/** The control of a content field. */
export type FieldControlKind =
  | "line"
  | "address"
  | "text"
  | "formula"
  | "number"
  | "minutes"
  | "lines"
  | "settings"
  | readonly (readonly [string, TextKey])[];

/** The control for a value. An empty control means no value. */
export function renderFieldControl(
  as: FieldControlKind,
  value: unknown,
  onChange: (value: unknown) => void,
): VNode<object> {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const change = (event: Event) => onChange(valueOfEventTarget(event) || undefined);
  if (typeof as !== "string")
    return (
      <select onChange={change}>
        <SelectOptions
          of={[["", "–"], ...as.map(([one, words]): [string, string] => [one, t(words)])]}
          chosen={text}
        />
      </select>
    );
  switch (as) {
    case "line":
      return <input value={text} onInput={change} />;
    case "address":
      return <input type="url" placeholder="https://" value={text} onInput={change} />;
    case "text":
      return <textarea rows={6} value={text} onInput={change} />;
    case "formula":
      return <textarea rows={2} class="code" spellcheck={false} value={text} onInput={change} />;
    case "number":
      return <NumberInput step="any" value={value} onChange={onChange} />;
    case "minutes":
      return <NumberInput step="any" value={value} unit={60} onChange={onChange} />;
    case "lines":
      return <LinesInput value={value} spelling={lines} onChange={onChange} />;
    case "settings":
      return <LinesInput value={value} spelling={settings} placeholder="NAME=value" onChange={onChange} />;
  }
}

type LinesInputProps = {
  value: unknown;
  spelling: InputTextCodec<unknown>;
  placeholder?: string;
  onChange: (value: unknown) => void;
};

function LinesInput({ value, spelling, onChange, ...told }: LinesInputProps) {
  return <textarea rows={4} {...told} {...useTypedValueInputProps(value, spelling, onChange)} />;
}

const lines: InputTextCodec<unknown> = {
  read: (text) => (nonEmptyLines(text).length > 0 ? nonEmptyLines(text) : undefined),
  write: (value) => (Array.isArray(value) ? value.join("\n") : ""),
};

/** Reads and writes `NAME=value` lines. */
const settings: InputTextCodec<unknown> = {
  read(text) {
    const pairs = nonEmptyLines(text).map((line): [string, string] => {
      const [name = "", ...value] = line.split("=");
      return [name.trim(), value.join("=").trim()];
    });
    return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
  },
  write: (value) =>
    Object.entries((value ?? {}) as ContentData)
      .map((pair) => pair.join("="))
      .join("\n"),
};
