import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** Where a topic is read: the offering of its course, and whether its people may be asked by whoever reads. */
export type Topic = { course: string; offering: string; mayAsk: boolean };

/** Undefined where a conversation is shown outside of a topic, such as to whoever has its link. */
export const TopicContext = createContext<Topic | undefined>(undefined);

export const useTopic = (): Topic | undefined => useContext(TopicContext);
