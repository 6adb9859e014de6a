import type { Schemas } from "learning-platform-client";
import { showPlace } from "../content/place.tsx";
import { type Place, withPlace } from "../content/place-address.ts";
import { clock } from "../format.ts";
import { to } from "../routes.ts";
import { t } from "../texts.ts";
import { useTopic } from "./topic-context.ts";

/** What an answer cites of the course: links that open the place, said to help perhaps where the tutor was told so. */
export function Sources({ of }: { of: Schemas["ChatMessage"]["sources"] }) {
  const topic = useTopic();
  if (of.length === 0 || !topic) return null;
  return (
    <div class="sources">
      <p>{t(of.some(({ perhaps }) => perhaps) ? "sources.perhaps" : "sources")}</p>
      <ul>
        {of.map(({ number, content_item_id, title, place }) => {
          const href = withPlace(to("courses", topic.course, topic.offering, content_item_id), place);
          return (
            <li key={number}>
              <a href={href} onClick={() => location.hash === href && showPlace()}>
                [§{number}] {title}
                {placeInWords(place)}
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function placeInWords({ block, seconds, file }: Place): string {
  if (block !== undefined) return `, ${t("source.block", { n: block })}`;
  if (seconds !== undefined) return `, ${t("source.seconds", { time: clock(seconds) })}`;
  return file === undefined ? "" : `, ${file}`;
}
