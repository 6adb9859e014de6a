import { useEffect, useState } from "preact/hooks";
import { useLanguage } from "../texts.ts";

/** Why a row was rejected, translated by its code. */
export function TranslatedRejectionReason({ code, said }: { code: string | null; said: string }) {
  const language = useLanguage();
  const [words, setWords] = useState("");
  useEffect(() => {
    let isShown = true;
    import("../translate-error-responses.ts")
      .then(({ translateImportRowError }) => translateImportRowError(code, said))
      .catch(() => said)
      .then((read) => isShown && setWords(read));
    return () => {
      isShown = false;
    };
  }, [code, said, language]);
  return <>{words}</>;
}
