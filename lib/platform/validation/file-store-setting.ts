import * as z from "zod";

export type FileStoreSetting =
  | { kind: "folder"; path: string }
  | { kind: "s3"; bucket: string; region: string; endpoint: string | undefined; pathStyle: boolean };

export const fileStoreSettingSchema = () =>
  z.string().transform((text, context): FileStoreSetting => {
    const read = readSetting(text.trim());
    if (typeof read !== "string") return read;
    context.addIssue(read);
    return z.NEVER;
  });

const parameters = ["region", "endpoint", "path_style"];

function readSetting(text: string): FileStoreSetting | string {
  if (/^folder:./.test(text)) return { kind: "folder", path: text.slice("folder:".length) };
  if (!/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/?(\?|$)/.test(text) || !URL.canParse(text))
    return "must be folder:/path or s3://bucket?region=eu-west-2";
  const { hostname, searchParams } = new URL(text);
  const { region, endpoint, path_style: pathStyle = "false" } = Object.fromEntries(searchParams);
  if ([...searchParams.keys()].some((name) => !parameters.includes(name)))
    return `can only have the parameters ${parameters.join(", ")}`;
  if (!region) return "must name a region, as in s3://bucket?region=eu-west-2";
  if (endpoint !== undefined && !/^https?:\/\/[^/?#\s]+\/?$/.test(endpoint))
    return "must have an http or https address without a path as endpoint";
  if (!/^(true|false)$/.test(pathStyle)) return "must have true or false as path_style";
  return { kind: "s3", bucket: hostname, region, endpoint, pathStyle: pathStyle === "true" };
}
