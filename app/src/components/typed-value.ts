import { useState } from "preact/hooks";
import { typedIn } from "./field.tsx";

/** How a value is written as text, and read from it. */
export type Spelling<Value> = { read: (text: string) => Value; write: (value: Value) => string };

/** What a control shows of a value: the text as it was typed, such as `1.`, for as long as it stands for the value. */
export function useTyped<Value>(
  value: Value,
  { read, write }: Spelling<Value>,
  onChange: (value: Value) => void,
): { value: string; onInput: (event: Event) => void } {
  const [text, setText] = useState(() => write(value));
  const isMeant = JSON.stringify(read(text)) === JSON.stringify(value);
  const type = (event: Event) => {
    setText(typedIn(event));
    onChange(read(typedIn(event)));
  };
  return { value: isMeant ? text : write(value), onInput: type };
}
