import type { Schemas } from "learning-platform-client";
import { useMemo } from "preact/hooks";
import { type Place, withPlace } from "../content/place-address.ts";
import { clock } from "../format.ts";
import { to } from "../routes.ts";
import { t } from "../texts.ts";
import { useTopic } from "./topic-context.ts";

/** What an answer cites of the course: links that open the place, said to help perhaps where the tutor was told so. */
export function Sources({ of }: { of: Schemas["ChatMessage"]["sources"] }) {
  const links = useSourceLinks(of);
  if (links.size === 0) return null;
  return (
    <div class="sources">
      <p>{t(of.some(({ perhaps }) => perhaps) ? "sources.perhaps" : "sources")}</p>
      <ul>
        {of.map(({ number, title, place }) => (
          <li key={number}>
            <a href={links.get(markOf(number)) ?? ""}>
              {markOf(number)} {title}
              {placeInWords(place)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How an answer's words cite a source. */
const markOf = (number: number): string => `[§${number}]`;

/** Where the marks lead by which an answer cites its sources; the same as long as they are. */
export function useSourceLinks(of: Schemas["ChatMessage"]["sources"]): ReadonlyMap<string, string> {
  const topic = useTopic();
  return useMemo(
    () =>
      new Map(
        of.flatMap(({ number, content_item_id, place }) =>
          topic
            ? [
                [
                  markOf(number),
                  withPlace(to("courses", topic.course, topic.offering, content_item_id), place),
                ],
              ]
            : [],
        ),
      ),
    [of, topic],
  );
}

function placeInWords({ block, seconds, file }: Place): string {
  if (block !== undefined) return `, ${t("source.block", { n: block })}`;
  if (seconds !== undefined) return `, ${t("source.seconds", { time: clock(seconds) })}`;
  return file === undefined ? "" : `, ${file}`;
}
