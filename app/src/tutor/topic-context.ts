import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** The offering in which a topic is read, and whether the reader may ask its people. */
export type TopicOffering = { course: string; offering: string; mayAsk: boolean };

/** Undefined outside of a topic, as for a share link. */
export const TopicOfferingContext = createContext<TopicOffering | undefined>(undefined);

export const useTopicOffering = (): TopicOffering | undefined => useContext(TopicOfferingContext);
