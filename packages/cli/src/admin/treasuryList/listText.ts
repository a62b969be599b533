import type { TreasuryList } from './readTreasuryList.ts'

/** The list in the format of SANCTIONS_FILE, with its source and download time. */
export const listText = (
  { addresses, publishedOn, sha256 }: TreasuryList,
  { source, takenAtMs }: { source: string; takenAtMs: number },
): string =>
  [
    '# Made by pit-admin sanctions update; it is replaced as a whole.',
    `# source ${source}`,
    `# published ${publishedOn}`,
    `# taken ${new Date(takenAtMs).toISOString()}`,
    `# sha256 ${sha256}`,
    ...addresses,
    '',
  ].join('\n')
