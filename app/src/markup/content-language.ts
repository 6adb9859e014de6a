import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** The language of what authors and the tutor have written around here, which is the course's; undefined elsewhere. */
export const ContentLanguage = createContext<string | undefined>(undefined);

export const useContentLanguage = (): string | undefined => useContext(ContentLanguage);
