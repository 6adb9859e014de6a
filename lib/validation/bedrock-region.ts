/** The inference profiles of Amazon Bedrock that keep a request among the regions of one geography. */
const geographies: readonly [regions: RegExp, profile: string][] = [
  [/^us-gov-/, "us-gov"],
  [/^us-/, "us"],
  [/^eu-/, "eu"],
  [/^ap-northeast-[13]$/, "jp"],
  [/^ap-southeast-[24]$/, "au"],
];

/** The prefix of the profiles for a region: `eu` for `eu-west-2`; undefined where none keeps the data near. */
export const bedrockGeography = (region: string): string | undefined =>
  geographies.find(([regions]) => regions.test(region))?.[1];
