/** Every crossing in a tree of files, given as a map of path to text. */
export function findCrossings(files: ReadonlyMap<string, string>): string[]
