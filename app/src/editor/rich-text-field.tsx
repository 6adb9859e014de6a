import { useEffect, useState } from "preact/hooks";
import { Notice } from "../components/notice.tsx";
import { explainError } from "../query.tsx";
import type { RichTextEditorProps } from "./rich-text-editor.tsx";

type Module = typeof import("./rich-text-editor.tsx");

/** The rich-text editor, which loads when it is first shown. */
export function LazyRichTextEditor(props: RichTextEditorProps) {
  const [loaded, setLoaded] = useState<Module>();
  const [fault, setFault] = useState<unknown>();
  useEffect(() => {
    import("./rich-text-editor.tsx").then((module) => setLoaded(module), setFault);
  }, []);
  if (fault) return <Notice>{explainError(fault)}</Notice>;
  if (!loaded) return <div class="skeleton" />;
  return <loaded.RichTextEditor {...props} />;
}
