import { describe, expect, it } from "vitest";
import { matchRoute, screenHref } from "../../../app/src/routes.ts";

describe("an address", () => {
  const patterns = ["", "courses/:course/:offering", "prompts/:name"] as const;

  it("names its screen, with its parameters", () => {
    expect(matchRoute("#/courses/3/4", patterns)?.values).toEqual({ course: "3", offering: "4" });
    expect(matchRoute(screenHref("prompts", "tutor/tone %"), patterns)?.values).toEqual({
      name: "tutor/tone %",
    });
    expect(matchRoute("", patterns)?.pattern).toBe("");
  });

  it.each(["#/nowhere", "#/courses/3", "#/prompts/a/b"])("of no screen names none: %s", (fragment) => {
    expect(matchRoute(fragment, patterns)).toBeUndefined();
  });

  it("that is not well encoded is no error", () => {
    expect(matchRoute("#/prompts/%E0%A4%A", patterns)?.values).toEqual({ name: "%E0%A4%A" });
  });
});
