import { afterEach, describe, expect, it, vi } from "vitest";
import { chooseFileStore } from "../../../../lib/platform/file-store/choose-file-store.ts";
import { fileStoreCspSources, resolveFileStoreSetting } from "../../../../lib/platform/file-store/setting.ts";
import { fileStoreSettingSchema } from "../../../../lib/platform/validation/file-store-setting.ts";

const secrets = {
  SECRET_KEY: "a secret of the tests, long enough for HS256",
  SECRET_KEY_PREVIOUS: undefined,
};

const settingsOf = (text: string | undefined, ENVIRONMENT: "development" | "production" = "production") => ({
  ...{ ...secrets, ENVIRONMENT, onLambda: false },
  FILE_STORE: text === undefined ? undefined : fileStoreSettingSchema().parse(text),
});

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the sources of a file store, as a page's policy names them", () => {
  it.each([
    "s3://learn-files?region=eu-west-2",
    "s3://learn.files?region=us-east-1",
    "s3://learn-files?region=cn-north-1",
    "s3://learn-files?region=eu-west-2&path_style=true",
    "s3://learn-files?region=auto&endpoint=https://account.r2.example.com",
    "s3://learn-files?region=us-east-1&endpoint=http://127.0.0.1:9000&path_style=true",
  ])("are those of signed URLs of %s", async (text) => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    const settings = settingsOf(text);
    const store = chooseFileStore(settings, () => new Date());
    const addressing = { expiresInSeconds: 60, publicUrl: "https://learn.example.edu" };
    const { url } = await store.signUpload("uploads/a", { size: 1, mediaType: "text/plain" }, addressing);
    const [source = ""] = fileStoreCspSources(resolveFileStoreSetting(settings));
    expect(new URL(source).href).toBe(source);
    expect(url.slice(0, source.length)).toBe(source);
  });

  it("are none of a folder, which the service serves itself, and none without a store", () => {
    expect(fileStoreCspSources(resolveFileStoreSetting(settingsOf("folder:/srv/files")))).toEqual([]);
    expect(fileStoreCspSources(resolveFileStoreSetting(settingsOf(undefined, "development")))).toEqual([]);
    expect(resolveFileStoreSetting(settingsOf(undefined))).toBeUndefined();
  });
});
