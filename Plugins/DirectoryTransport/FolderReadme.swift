/// What the folder says to the person who finds it.
///
/// It is written when a zone is made in the folder and no file has its name. It is nobody's data:
/// the transport never reads it, never writes over what a person made of it, and does not bring
/// it back for somebody who deleted it.
enum FolderReadme {
  /// Its name, the only one with upper-case letters, since people look for it so.
  static let name = "README.txt"

  static let text = """
    This folder holds the shared data of an app that syncs with Strandline.

    Several devices write here; each writes only files of its own and reads those of the
    others. Anything that copies the whole folder may carry it: a network share, a sync tool,
    a memory stick. All files must arrive in the end; their order does not matter.

    Please do not rename, edit or delete anything below "zones". The app waits for files that
    are missing and says which. Deleting the whole folder deletes no data on the devices.
    Copies that a sync tool adds, such as "conflict" files, are ignored as long as the file
    that they are copies of is there.

    zones/NAME/*.space.json   which zone this is
    zones/NAME/iN/w/DEVICE/   what each device has published, in order
    zones/NAME/iN/ack/        how far each device has read the others

    """
}
