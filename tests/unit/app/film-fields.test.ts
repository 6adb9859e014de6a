import { describe, expect, it } from "vitest";
import {
  detectVideoSourceKind,
  videoUrlFromData,
  withVideoKindIfVideoLink,
  withVideoProviderFromUrl,
} from "../../../app/src/authoring/video-source.ts";

const id = "dQw4w9WgXcQ";

describe("an author's pasted address of a film", () => {
  it.each([
    [`https://www.youtube.com/watch?v=${id}&t=90`, "youtube", id],
    [`youtu.be/${id}?t=1m30s`, "youtube", id],
    [`https://www.youtube.com/shorts/${id}`, "youtube", id],
    [`https://www.youtube.com/embed/${id}`, "youtube", id],
    ["https://vimeo.com/76979871", "vimeo", "76979871"],
    ["vimeo.com/76979871/0a1b2c3d4e", "vimeo", "76979871"],
  ])("%s identifies its site, in every field", (text, provider, video_id) => {
    const url = text.startsWith("https://") ? text : `https://${text}`;
    expect(withVideoProviderFromUrl({}, { url: text })).toEqual({ provider, video_id, url });
    expect(withVideoProviderFromUrl({}, { video_id: text })).toEqual({ provider, video_id, url });
    expect(detectVideoSourceKind({ provider, video_id, url })).toBe(provider);
  });

  it("takes the place of a file, and is followed by nothing of the film before", () => {
    const former = withVideoProviderFromUrl(
      { file_id: 9, title: "kept" },
      { file_id: 9, title: "kept", url: `https://youtu.be/${id}` },
    );
    expect(former).toEqual({
      title: "kept",
      url: `https://youtu.be/${id}`,
      provider: "youtube",
      video_id: id,
    });
    const file = withVideoProviderFromUrl(former, { ...former, url: "https://example.edu/film.mp4" });
    expect(file).toEqual({ title: "kept", url: "https://example.edu/film.mp4", provider: "internal" });
    expect(detectVideoSourceKind(file)).toBe("file");
    const { url: _, ...emptied } = former;
    expect(withVideoProviderFromUrl(former, emptied)).toEqual({ title: "kept" });
  });

  it("is shown for videos that are stored as a platform's id", () => {
    expect(videoUrlFromData({ provider: "youtube", video_id: id })).toBe(`https://youtu.be/${id}`);
    expect(videoUrlFromData({ provider: "vimeo", video_id: "76979871" })).toBe("https://vimeo.com/76979871");
    expect(videoUrlFromData({ video_id: `youtu.be/${id}` })).toBe(`youtu.be/${id}`);
    expect(videoUrlFromData({ video_url: "https://example.edu/film.mp4" })).toBe(
      "https://example.edu/film.mp4",
    );
    expect(videoUrlFromData({ file_id: 5 })).toBe("");
  });

  it("leaves a typed id, and all other changes", () => {
    const typed = { provider: "youtube", video_id: id };
    expect(withVideoProviderFromUrl(typed, { ...typed, url: "https://example.edu" })).toEqual({
      ...typed,
      url: "https://example.edu",
    });
    expect(withVideoProviderFromUrl({}, { duration_seconds: 5 })).toEqual({ duration_seconds: 5 });
  });

  it("is reported as invalid if it is unknown", () => {
    expect(detectVideoSourceKind({ url: "https://example.edu/page" })).toBe("none");
    expect(detectVideoSourceKind({})).toBeUndefined();
  });

  it("makes a link one to a film, unless its kind was chosen", () => {
    expect(withVideoKindIfVideoLink({}, { url: `youtu.be/${id}` })).toEqual({
      url: `https://youtu.be/${id}`,
      kind: "video",
    });
    expect(withVideoKindIfVideoLink({}, { url: `youtu.be/${id}`, kind: "pdf" })).toEqual({
      url: `youtu.be/${id}`,
      kind: "pdf",
    });
    expect(withVideoKindIfVideoLink({}, { url: "https://example.edu" })).toEqual({
      url: "https://example.edu",
    });
  });
});
