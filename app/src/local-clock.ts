/** Whether the reader's clock shows this time at the moment, such as `23:59`. */
export const isAtLocalTime = (instant: string, time: string): boolean =>
  new Date(instant).toTimeString().startsWith(time);
