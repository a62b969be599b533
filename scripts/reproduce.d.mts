type Files = [path: string, sha256: string][]
export function hashFiles(folder: string, path?: string): Files
export function digestOf(files: Files): string
export function reproduce(
  commit?: string,
  args?: string[],
): { files: number; different: string[]; digest: string }
