/** The API's public URL, such as `https://learn.example.edu/api/v1`. */
export type ApiBaseUrl = { api: string };

const own = ({ api }: ApiBaseUrl): string => `${api}/assessments/certificates`;

export const certificateUrl = (addresses: ApiBaseUrl, code: string, part: string): string =>
  `${own(addresses)}/verify/${encodeURIComponent(code)}/${part}`;

/** The URL is the key's id too. */
export const signingKeyUrl = (addresses: ApiBaseUrl, id: string): string => `${own(addresses)}/keys/${id}`;

export const statusListUrl = (addresses: ApiBaseUrl, list: number): string =>
  `${own(addresses)}/status/${list}`;

export const universityUrl = ({ api }: ApiBaseUrl, id: number): string => `${api}/universities/${id}`;

export const courseUrl = ({ api }: ApiBaseUrl, id: number): string => `${api}/courses/${id}`;
