import { useNotifier } from '../data/activity.ts'

/** Watches the activity while any page is open; shows nothing itself. */
export default function Notifier() {
  useNotifier()
  return null
}
