import type { VideoData } from "./content-data.ts";

export type YouTubeOrVimeoVideo = {
  platform: "youtube" | "vimeo";
  id: string;
  hash?: string | undefined;
  start?: number;
};

/**
 * The embed URL of a film, in the platform's privacy mode. Accepts an id or any common URL in any of the
 * fields, and a start time. Undefined if no platform plays it.
 */
export function videoEmbedUrl(
  { provider, video_id, url, video_url }: VideoData,
  from?: number,
): string | undefined {
  const named = [video_id, url, video_url].filter((text) => typeof text === "string");
  const film =
    named.map(parseYouTubeOrVimeoUrl).find((found) => found !== undefined) ?? filmOf(provider, video_id);
  return film && player(from === undefined ? film : { ...film, start: from });
}

function player({ platform, id, hash, start = 0 }: YouTubeOrVimeoVideo): string {
  if (platform === "youtube")
    return `https://www.youtube-nocookie.com/embed/${id}${start ? `?start=${start}` : ""}`;
  return `https://player.vimeo.com/video/${id}?${hash ? `h=${hash}&` : ""}dnt=1${start ? `#t=${start}s` : ""}`;
}

function filmOf(provider: VideoData["provider"], id: string | undefined): YouTubeOrVimeoVideo | undefined {
  if ((provider !== "youtube" && provider !== "vimeo") || !id || !/^[\w-]+$/.test(id)) return undefined;
  return { platform: provider, id };
}

/** The film at a URL, with or without its scheme. */
export function parseYouTubeOrVimeoUrl(text: string): YouTubeOrVimeoVideo | undefined {
  const trimmed = text.trim();
  const address = URL.parse(
    /^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed.replace(/^\/\//, "")}`,
  );
  if (!address) return undefined;
  const parts = address.pathname.split("/").filter(Boolean);
  const start = secondsOf(parameter(address, "t") ?? parameter(address, "start") ?? "");
  switch (address.hostname.replace(/^(www|m|music)\./, "")) {
    case "youtu.be":
      return onYouTube(parts[0], start);
    case "youtube.com":
    case "youtube-nocookie.com":
      if (parts[0] === "watch") return onYouTube(address.searchParams.get("v"), start);
      return ["shorts", "embed", "live", "v"].includes(parts[0] ?? "")
        ? onYouTube(parts[1], start)
        : undefined;
    case "vimeo.com":
    case "player.vimeo.com":
      return onVimeo(parts, address.searchParams.get("h"), start);
    default:
      return undefined;
  }
}

const onYouTube = (id: string | null | undefined, start: number): YouTubeOrVimeoVideo | undefined =>
  id && /^[\w-]{11}$/.test(id) ? { platform: "youtube", id, start } : undefined;

/** Unlisted films have a second part, `vimeo.com/ID/HASH`, which the player takes as `h`. */
function onVimeo(parts: string[], h: string | null, start: number): YouTubeOrVimeoVideo | undefined {
  const at = parts.findIndex((part) => /^\d+$/.test(part));
  const [id, hash = h] = at < 0 ? [] : parts.slice(at);
  if (!id) return undefined;
  return { platform: "vimeo", id, start, hash: hash && /^[0-9a-f]+$/i.test(hash) ? hash : undefined };
}

/** A parameter from the query, or from the fragment. */
const parameter = ({ searchParams, hash }: URL, name: string): string | null =>
  searchParams.get(name) ?? new URLSearchParams(hash.slice(1)).get(name);

/** `90`, `90s`, `1m30s` or `1h2m3s`. 0 for anything else. */
function secondsOf(text: string): number {
  const [, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?$/.exec(text) ?? [];
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}
