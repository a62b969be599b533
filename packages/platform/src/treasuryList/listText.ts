import type { TreasuryList } from './readTreasuryList.ts'

/** The list as SANCTIONS_FILE takes it, with where it is from and when it was taken. */
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
