import { filmAt, frameOf } from "../content/film-address.ts";
import type { VideoData } from "../content/shapes.ts";
import type { Data } from "./at-path.ts";

/** Where a film plays: at a platform, as a file, or nowhere, as far as its address tells. */
export type FilmFound = "youtube" | "vimeo" | "file" | "none";

const isFilm = /\.(mp4|m4v|webm|ogv|mov)([?#]|$)/i;

const withScheme = (text: string): string =>
  /^https?:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, "")}`;

const textAt = (data: Data, key: string): string => (typeof data[key] === "string" ? data[key].trim() : "");

/**
 * What is written of a film once its address was typed or pasted in one of its fields: whose film it is, and its id. What
 * followed from the address before goes with that.
 */
export function recognized(before: Data, after: Data): Data {
  const { url: formerUrl, video_id: formerId } = before;
  const changed = ["url", "video_id"].find((key) => after[key] !== before[key]);
  if (!changed) return after;
  const text = textAt(after, changed);
  const film = filmAt(text);
  if (film) {
    const { file_id: _, ...rest } = after;
    return { ...rest, provider: film.platform, video_id: film.id, url: withScheme(text) };
  }
  if (changed === "video_id") return after;
  const isOfFormer = typeof formerUrl === "string" && filmAt(formerUrl)?.id === formerId;
  const { provider, video_id, ...rest } = after;
  if (!isOfFormer) return after;
  return isFilm.test(text) ? { ...rest, provider: "internal" } : rest;
}

/** What the address of a film is; undefined where there is none. */
export function filmFound(data: Data): FilmFound | undefined {
  const frame = frameOf(data as VideoData);
  if (frame) return frame.includes("vimeo") ? "vimeo" : "youtube";
  const url = textAt(data, "url") || textAt(data, "video_url");
  if (!url) return undefined;
  return isFilm.test(url) ? "file" : "none";
}

/** A link to a film says so by itself. */
export const recognizedLink = (before: Data, after: Data): Data =>
  after["url"] !== before["url"] && after["kind"] === undefined && filmAt(textAt(after, "url"))
    ? { ...after, kind: "video", url: withScheme(textAt(after, "url")) }
    : after;
