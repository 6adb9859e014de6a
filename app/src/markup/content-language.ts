import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** Language of the surrounding authored content (the course's). Undefined elsewhere. */
export const ContentLanguageContext = createContext<string | undefined>(undefined);

export const useContentLanguage = (): string | undefined => useContext(ContentLanguageContext);
