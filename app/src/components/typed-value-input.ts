import { useState } from "preact/hooks";
import { valueOfEventTarget } from "./field.tsx";

export type InputTextCodec<Value> = { read: (text: string) => Value; write: (value: Value) => string };

/** The control's text, such as `1.`, kept for as long as it parses to the value. */
export function useTypedValueInputProps<Value>(
  value: Value,
  { read, write }: InputTextCodec<Value>,
  onChange: (value: Value) => void,
): { value: string; onInput: (event: Event) => void } {
  const [text, setText] = useState(() => write(value));
  const isMeant = JSON.stringify(read(text)) === JSON.stringify(value);
  const type = (event: Event) => {
    setText(valueOfEventTarget(event));
    onChange(read(valueOfEventTarget(event)));
  };
  return { value: isMeant ? text : write(value), onInput: type };
}
