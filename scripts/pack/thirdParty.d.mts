interface ThirdParty {
  name: string
  version: string
  license: string
  /** Address of the repository. */
  source: string
  files: string[]
  /** Manifest, README and licence files. */
  about: string[]
}
export function thirdParty(): ThirdParty[]
export function noticeOf(packages: readonly ThirdParty[]): string
