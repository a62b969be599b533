/** Every super-linear pattern of a file. */
export function findSlowPatterns(
  file: string,
  text: string,
): { file: string; line: number; pattern: string | null; why: string }[]
