import { describe, expect, it } from "vitest";
import { videoEmbedUrl } from "../../../app/src/content/video-url.ts";

const id = "dQw4w9WgXcQ";
const youtube = `https://www.youtube-nocookie.com/embed/${id}`;

describe("a pasted address of a film", () => {
  it.each([
    [`https://www.youtube.com/watch?v=${id}`, youtube],
    [`https://www.youtube.com/watch?v=${id}&t=10s`, `${youtube}?start=10`],
    [`https://www.youtube.com/watch?list=PL1&v=${id}&start=75`, `${youtube}?start=75`],
    [`http://youtube.com/watch?v=${id}#t=1m30s`, `${youtube}?start=90`],
    [`https://youtu.be/${id}?si=AbC_d-9`, youtube],
    [`https://youtu.be/${id}?t=1h2m3s`, `${youtube}?start=3723`],
    [`https://www.youtube.com/shorts/${id}`, youtube],
    [`https://www.youtube.com/embed/${id}?rel=0`, youtube],
    [`https://www.youtube.com/live/${id}?feature=share`, youtube],
    [`https://www.youtube-nocookie.com/embed/${id}`, youtube],
    [`https://m.youtube.com/watch?v=${id}`, youtube],
    [`https://music.youtube.com/watch?v=${id}`, youtube],
    [`youtube.com/watch?v=${id}`, youtube],
    [`www.youtube.com/watch?v=${id}`, youtube],
    [`youtu.be/${id}`, youtube],
    [`//youtu.be/${id}`, youtube],
    [`  https://youtu.be/${id}\n`, youtube],
    ["https://vimeo.com/76979871", "https://player.vimeo.com/video/76979871?dnt=1"],
    ["vimeo.com/76979871", "https://player.vimeo.com/video/76979871?dnt=1"],
    ["https://vimeo.com/76979871/0a1b2c3d4e", "https://player.vimeo.com/video/76979871?h=0a1b2c3d4e&dnt=1"],
    [
      "https://player.vimeo.com/video/76979871?h=0a1b2c3d4e#t=10s",
      "https://player.vimeo.com/video/76979871?h=0a1b2c3d4e&dnt=1#t=10s",
    ],
    ["https://vimeo.com/76979871/settings", "https://player.vimeo.com/video/76979871?dnt=1"],
    ["https://vimeo.com/channels/staffpicks/76979871", "https://player.vimeo.com/video/76979871?dnt=1"],
  ])("%s plays, in every field", (text, frame) => {
    expect(videoEmbedUrl({ url: text })).toBe(frame);
    expect(videoEmbedUrl({ video_url: text })).toBe(frame);
    expect(videoEmbedUrl({ video_id: text })).toBe(frame);
    expect(videoEmbedUrl({ provider: "youtube", video_id: text })).toBe(frame);
  });

  it.each([
    ["https://example.edu/lecture.mp4"],
    [`https://example.edu/watch?v=${id}`],
    [`https://youtube.com.example.edu/watch?v=${id}`],
    [`https://example.edu/?u=https://youtu.be/${id}`],
    [`https://youtu.be@example.edu/${id}`],
    ["https://www.youtube.com/playlist?list=PL1"],
    ["https://www.youtube.com/watch?v=../../x"],
    ["https://youtu.be/%22onload"],
    ["javascript:alert(1)"],
    ["https://vimeo.com/about"],
    [""],
  ])("%s is none that another platform plays", (url) => {
    expect(videoEmbedUrl({ url, video_url: url, video_id: url })).toBeUndefined();
  });

  it("is not needed if its id and its platform are named", () => {
    expect(videoEmbedUrl({ provider: "youtube", video_id: id })).toBe(youtube);
    expect(videoEmbedUrl({ provider: "vimeo", video_id: "76979871" })).toBe(
      "https://player.vimeo.com/video/76979871?dnt=1",
    );
    expect(videoEmbedUrl({ provider: "internal", video_id: id })).toBeUndefined();
    expect(videoEmbedUrl({ provider: "youtube", video_id: id, url: "https://example.edu/page" })).toBe(
      youtube,
    );
  });
});
