import type { VideoData } from "../content/content-data.ts";
import { parseYouTubeOrVimeoUrl, videoEmbedUrl } from "../content/video-url.ts";
import type { ContentData } from "./at-path.ts";

/** The source of a film, derived from its URL. */
export type VideoSourceKind = "youtube" | "vimeo" | "file" | "none";

const isFilm = /\.(mp4|m4v|webm|ogv|mov)([?#]|$)/i;

const withScheme = (text: string): string =>
  /^https?:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, "")}`;

const textAt = (data: ContentData, key: string): string =>
  typeof data[key] === "string" ? data[key].trim() : "";

/** The data after a film's URL was typed: sets the provider and id, and drops those of the old URL. */
export function withVideoProviderFromUrl(before: ContentData, after: ContentData): ContentData {
  const { url: formerUrl, video_id: formerId } = before;
  const changed = ["url", "video_id"].find((key) => after[key] !== before[key]);
  if (!changed) return after;
  const text = textAt(after, changed);
  const film = parseYouTubeOrVimeoUrl(text);
  if (film) {
    const { file_id: _, ...rest } = after;
    return { ...rest, provider: film.platform, video_id: film.id, url: withScheme(text) };
  }
  if (changed === "video_id") return after;
  const isOfFormer = typeof formerUrl === "string" && parseYouTubeOrVimeoUrl(formerUrl)?.id === formerId;
  const { provider, video_id, ...rest } = after;
  if (!isOfFormer) return after;
  return isFilm.test(text) ? { ...rest, provider: "internal" } : rest;
}

/** The link to a video, also of one that is stored as a platform's id. */
export function videoUrlFromData(data: ContentData): string {
  const id = textAt(data, "video_id");
  const address = textAt(data, "url") || textAt(data, "video_url");
  if (address || !id) return address;
  if (data["provider"] === "vimeo" && !parseYouTubeOrVimeoUrl(id)) return `https://vimeo.com/${id}`;
  return data["provider"] === "youtube" && !parseYouTubeOrVimeoUrl(id) ? `https://youtu.be/${id}` : id;
}

/** The source of the film in `data`, or undefined if it has none. */
export function detectVideoSourceKind(data: ContentData): VideoSourceKind | undefined {
  const frame = videoEmbedUrl(data as VideoData);
  if (frame) return frame.includes("vimeo") ? "vimeo" : "youtube";
  const url = textAt(data, "url") || textAt(data, "video_url");
  if (!url) return undefined;
  return isFilm.test(url) ? "file" : "none";
}

/** Sets the kind of a link that leads to a film. */
export const withVideoKindIfVideoLink = (before: ContentData, after: ContentData): ContentData =>
  after["url"] !== before["url"] &&
  after["kind"] === undefined &&
  parseYouTubeOrVimeoUrl(textAt(after, "url"))
    ? { ...after, kind: "video", url: withScheme(textAt(after, "url")) }
    : after;
