import { describe, expect, it } from "vitest";
import {
  addSourceLocationToUrl,
  parseSourceLocationFromFragment,
} from "../../../app/src/content/source-location.ts";
import { videoEmbedUrl } from "../../../app/src/content/video-url.ts";

describe("the URL of a place in an item", () => {
  it.each([
    [{ block: 3 }, "#/courses/1/2/3?block=3"],
    [{ seconds: 0 }, "#/courses/1/2/3?seconds=0"],
    [{ file: "Über & so?.pdf" }, "#/courses/1/2/3?file=%C3%9Cber%20%26%20so%3F.pdf"],
    [{}, "#/courses/1/2/3"],
  ])("names %o, and is read as that", (place, address) => {
    expect(addSourceLocationToUrl("#/courses/1/2/3", place)).toBe(address);
    expect(parseSourceLocationFromFragment(address)).toEqual(place);
  });

  it.each(["?block=0", "?block=x", "?seconds=-1", "?file=", "?block"])(
    "is ignored without a valid place: %s",
    (query) => {
      expect(parseSourceLocationFromFragment(`#/courses/1/2/3${query}`)).toEqual({});
    },
  );

  it("starts a film of another platform there, whatever its address says", () => {
    const film = { url: "https://youtu.be/dQw4w9WgXcQ?t=10" };
    expect(videoEmbedUrl(film, 125)).toBe("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=125");
    expect(videoEmbedUrl(film)).toBe("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=10");
  });
});
