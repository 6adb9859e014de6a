import { describe, expect, it } from "vitest";
import {
  configBounds,
  dropConfigOutsideBounds,
  ensureConfigWithinBounds,
} from "../../../../lib/tutor/prompts/config.ts";

const bounds = { models: ["small", "large"], highestTemperature: 1, longestAnswer: 100 };

describe("a version's config", () => {
  it.each([
    {},
    { model: "large", temperature: 0, max_tokens: 100 },
    { temperature: 1, max_tokens: 1 },
    { note: "for whoever reads it", top_p: 0.9 },
  ])("may be %j", (config) => {
    expect(() => ensureConfigWithinBounds(config, bounds)).not.toThrow();
  });

  it.each([
    [{ model: "huge" }, "config.model should be one of: small, large"],
    [{ model: null }, "config.model should be one of: small, large"],
    [{ temperature: 1.1 }, "config.temperature should be a number from 0 to 1"],
    [{ temperature: "0.5" }, "config.temperature should be a number from 0 to 1"],
    [{ max_tokens: 101 }, "config.max_tokens should be a whole number from 1 to 100"],
    [{ max_tokens: 0 }, "config.max_tokens should be a whole number from 1 to 100"],
    [{ max_tokens: 1.5 }, "config.max_tokens should be a whole number from 1 to 100"],
  ])("may not be %j", (config, words) => {
    expect(() => ensureConfigWithinBounds(config, bounds)).toThrow(words);
    expect(dropConfigOutsideBounds(config, bounds)).toEqual({});
  });

  it("is effective field by field if it was made under other bounds", () => {
    expect(dropConfigOutsideBounds({ temperature: 2, max_tokens: 50, model: "gone" }, bounds)).toEqual({
      max_tokens: 50,
    });
  });

  it("has the bounds of the settings", () => {
    const settings = { LLM_MAX_TOKENS: 10, LLM_MODELS: ["a"], CLOUD_REGION: "eu-west-2" };
    const none = { DIRECT_API_MODEL: undefined, CLOUD_MODEL_ID: undefined, OPENAI_MODEL: undefined };
    expect(configBounds({ ...settings, ...none, LLM_PROVIDER: "openai_compatible" })).toEqual({
      models: ["a"],
      highestTemperature: 2,
      longestAnswer: 10,
    });
    expect(configBounds({ ...settings, ...none, LLM_PROVIDER: "direct_api" }).highestTemperature).toBe(1);
  });
});
