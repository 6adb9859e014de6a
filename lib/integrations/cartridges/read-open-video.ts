import {
  type EncodedOmission,
  encodeOmission,
  encodeOmittedElement,
} from "../../platform/results/omission-codes.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { allowedWebUrl } from "./html-to-blocks.ts";
import { firstDistinctOmissions } from "./settings.ts";
import { childElements, deepElementText, type Element, elementAtPath } from "./xml.ts";

/** A recording of Open Video 1.0. The address is a file of the cartridge or of the web. */
export type ParsedRecording = {
  title: string;
  description: string;
  address: string;
  isOfWeb: boolean;
  leftOut: EncodedOmission[];
};

/** Parts of a session that need no line. */
const understood = new Set(["title", "description", "streams", "dateCreated"]);

/** Takes the first stream with a file. Reports other streams, captions, markers, cuts and the other parts. */
export function parseOpenVideo(session: Element): ParsedRecording {
  const streams = childElements(session, "streams").flatMap((one) => childElements(one, "stream"));
  const main = streams.find((stream) => addressOf(stream) !== "");
  const address = main ? addressOf(main) : "";
  const lines = [
    ...streams.flatMap((stream) => (stream === main ? extrasOf(stream) : [mediaLine("stream", stream)])),
    ...childElements(session).flatMap(({ name }) =>
      understood.has(name) ? [] : [encodeOmittedElement(name)],
    ),
  ];
  return {
    title: deepElementText(elementAtPath(session, "title")),
    description: deepElementText(elementAtPath(session, "description")),
    address,
    isOfWeb: /^https?:/i.test(allowedWebUrl(address) ?? ""),
    leftOut: firstDistinctOmissions(lines),
  };
}

const extrasOf = (stream: Element): EncodedOmission[] =>
  childElements(stream).flatMap((one) => {
    if (one.name === "captions" || one.name === "rendition") return [mediaLine(one.name, one)];
    return one.name === "cut" ? [encodeOmittedElement("cut")] : [];
  });

const mediaLine = (media: string, of: Element): EncodedOmission =>
  encodeOmission("left_out_media", { media, address: truncate(addressOf(of), 200) });

function addressOf(of: Element): string {
  const file = elementAtPath(of, "file");
  return file ? (file.attributes["url"] ?? deepElementText(elementAtPath(file, "url"))).trim() : "";
}
