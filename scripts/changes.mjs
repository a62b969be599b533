// Changes since the last release: files of .changeset/ in the format of changesets.

const LEVELS = ['patch', 'minor', 'major']

/** Level and text of one change. */
export function parseChange(file, text) {
  const match = /^---\n["']?pit["']?: (patch|minor|major)\n---\n([\s\S]+)$/.exec(text)
  const summary = match?.[2].trim()
  if (!match || !summary)
    throw new Error(
      `${file} is not a change: it needs "pit: patch", "pit: minor" or "pit: major", and a text`,
    )
  return { level: match[1], summary: summary.replace(/\s*\n\s*/g, ' ') }
}

/** The version after these changes. Before 1.0 a breaking change is a minor one. */
export function nextVersion(version, changes) {
  const [major, minor, patch] = version.split('.').map(Number)
  const level = LEVELS[Math.max(...changes.map((change) => LEVELS.indexOf(change.level)))]
  if (level === 'patch') return `${major}.${minor}.${patch + 1}`
  if (level === 'minor' || major === 0) return `${major}.${minor + 1}.0`
  return `${major + 1}.0.0`
}

/** The changelog with a new section on top. */
export function withSection(changelog, { version, date, changes }) {
  const lines = changes.map(({ summary }) => `- ${summary}`).join('\n')
  const section = `## ${version} (${date})\n${lines}\n`
  return changelog.replace(/^# Changelog\n\n/, `# Changelog\n\n${section}\n`)
}
