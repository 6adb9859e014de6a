import { physicsScripts } from "./physics.ts";
import { programmingScripts } from "./programming.ts";
import type { TopicScript } from "./script.ts";
import { signalsScripts } from "./signals.ts";

const scripts = new Map(
  [...programmingScripts, ...signalsScripts, ...physicsScripts].flatMap((script) =>
    script.titles.map((title): [string, TopicScript] => [title, script]),
  ),
);

/** The script of a demonstration's topic. Other topics have none: the tutor speaks about learning itself. */
export const findTopicScript = (title: string | undefined): TopicScript | undefined =>
  title === undefined ? undefined : scripts.get(title);
