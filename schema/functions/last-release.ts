/** The release that runs while this version takes its place. Its code has to find what it calls: see retired.ts. */
export const lastRelease = "v1.0.0";
