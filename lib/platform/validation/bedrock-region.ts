/** Inference profiles that stay within one geography. */
const geographies: readonly [regions: RegExp, profile: string][] = [
  [/^us-gov-/, "us-gov"],
  [/^us-/, "us"],
  [/^eu-/, "eu"],
  [/^ap-northeast-[13]$/, "jp"],
  [/^ap-southeast-[24]$/, "au"],
];

/** `eu` for `eu-west-2`; undefined without a regional profile. */
export const bedrockGeography = (region: string): string | undefined =>
  geographies.find(([regions]) => regions.test(region))?.[1];
