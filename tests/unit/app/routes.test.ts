import { describe, expect, it } from "vitest";
import { routeOf, to } from "../../../app/src/routes.ts";

describe("an address", () => {
  const patterns = ["", "courses/:course/:offering", "prompts/:name"] as const;

  it("names its screen, with its parameters", () => {
    expect(routeOf("#/courses/3/4", patterns)?.values).toEqual({ course: "3", offering: "4" });
    expect(routeOf(to("prompts", "tutor/tone %"), patterns)?.values).toEqual({ name: "tutor/tone %" });
    expect(routeOf("", patterns)?.pattern).toBe("");
  });

  it.each(["#/nowhere", "#/courses/3", "#/prompts/a/b"])("of no screen names none: %s", (fragment) => {
    expect(routeOf(fragment, patterns)).toBeUndefined();
  });

  it("that is not well encoded is no error", () => {
    expect(routeOf("#/prompts/%E0%A4%A", patterns)?.values).toEqual({ name: "%E0%A4%A" });
  });
});
