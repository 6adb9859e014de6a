export type EmbeddableVideo = { platform: "youtube" | "vimeo"; id: string };

/** Undefined for other platforms. */
export function parseVideoUrl(address: string): EmbeddableVideo | undefined {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const parts = url.pathname.split("/").filter(Boolean);
  const onYouTube = (id: string | null | undefined): EmbeddableVideo | undefined =>
    id && /^[\w-]{11}$/.test(id) ? { platform: "youtube", id } : undefined;
  switch (url.hostname.replace(/^(www|m|music)\./, "")) {
    case "youtu.be":
      return onYouTube(parts[0]);
    case "youtube.com":
    case "youtube-nocookie.com":
      if (parts[0] === "watch") return onYouTube(url.searchParams.get("v"));
      return ["shorts", "embed", "live", "v"].includes(parts[0] ?? "") ? onYouTube(parts[1]) : undefined;
    case "vimeo.com":
    case "player.vimeo.com": {
      const id = parts.find((part) => /^\d+$/.test(part));
      return id ? { platform: "vimeo", id } : undefined;
    }
    default:
      return undefined;
  }
}
