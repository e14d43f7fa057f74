/// What the folder says to the person who finds it.
enum FolderReadme {
  static let text = """
    This folder holds the shared data of an app that syncs with Strandline.

    Several devices write here; each writes only files of its own and reads those of the
    others. Anything that copies the whole folder may carry it: a network share, a sync tool,
    a memory stick. All files must arrive in the end; their order does not matter.

    Please do not rename, edit or delete anything below "zones". The app waits for files that
    are missing and says which. Deleting the whole folder deletes no data on the devices.
    Copies that a sync tool adds, such as "conflict" files, are ignored and can be deleted.

    zones/NAME/*.space.json   which zone this is
    zones/NAME/iN/w/DEVICE/   what each device has published, in order
    zones/NAME/iN/ack/        how far each device has read the others

    """
}
