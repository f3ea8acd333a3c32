import Foundation
import NetKit
import Testing

/// Tests with the dates of two public suites: curl's `tests/libtest/lib517.c`, and the `Expires` tests of
/// http-tests/cache-tests.
struct HTTPDateVectorTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// From curl: every value that is in one of the three forms, which every recipient must accept.
    @Test(arguments: required)
    func readsTheFormatsThatEveryRecipientMustAccept(_ text: String, _ seconds: Double) {
        #expect(HTTPDate.parse(text, now: Self.now) == Date(timeIntervalSince1970: seconds))
    }

    /// From cache-tests: valid `Expires` fields, which are dates of the future.
    @Test(arguments: expires)
    func readsValidExpiresFields(_ text: String, _ seconds: Double) {
        #expect(HTTPDate.parse(text, now: Self.now) == Date(timeIntervalSince1970: seconds))
    }

    /// From curl: the grammar fits, but a part is out of range.
    @Test(arguments: outOfRange)
    func refusesPartsThatAreOutOfRange(_ text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
    }

    /// From curl, whose own reader guesses at many of them: none is in one of the three forms.
    @Test(arguments: noForm)
    func refusesTextInNoneOfTheFormats(_ text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
    }

    /// From cache-tests: invalid `Expires` fields, and three whose case is not the grammar's, which a cache may
    /// decline.
    @Test(arguments: invalidExpires)
    func refusesInvalidExpiresFields(_ text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
    }

    /// Every date, cut at every byte: nothing traps, and a part of one of the three forms is a date only if it is
    /// whole.
    @Test func survivesEveryCut() {
        for (text, _) in Self.required + Self.expires {
            for cut in 0..<text.utf8.count {
                let part = String(decoding: text.utf8.prefix(cut), as: UTF8.self)
                #expect(HTTPDate.parse(part, now: Self.now) == nil, "\(part)")
            }
        }
        for text in Self.outOfRange + Self.noForm + Self.invalidExpires {
            for cut in 0..<text.utf8.count {
                _ = HTTPDate.parse(String(decoding: text.utf8.prefix(cut), as: UTF8.self), now: Self.now)
            }
        }
    }

    private static let required: [(String, Double)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Wed, 25 Apr 2007 21:02:13 GMT", 1_177_534_933),
        ("Wed, 31 Dec 2008 23:59:60 GMT", 1_230_768_000),
        ("Sun, 06 Nov 2044 08:49:37 GMT", 2_362_034_977),
        ("Sun, 06 Nov 3144 08:49:37 GMT", 37_074_617_377),
        ("Sun, 06 Nov 1900 08:49:37 GMT", -2_182_259_423),
        ("Sun, 06 Nov 1800 08:49:37 GMT", -5_337_933_023),
        ("Sun, 06 Nov 1968 08:49:37 GMT", -36_342_623),
    ]

    private static let expires: [(String, Double)] = [
        ("Tue, 19 Jan 2038 14:14:08 GMT", 2_147_523_248),
        ("Sun, 21 Nov 2286 04:46:39 GMT", 10_000_039_599),
        ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878),
        ("Thu Aug  8 02:01:18 2050", 2_543_536_878),
    ]

    private static let outOfRange = [
        "Wed, 31 Dec 2008 23:59:61 GMT",
        "Wed, 31 Dec 2008 24:00:00 GMT",
        "Wed, 31 Dec 2008 23:60:59 GMT",
    ]

    private static let noForm = [
        "Sun Nov  6 8:49:37 1994",
        "Sun Nov  6 8:9:37 1994",
        "Sun Nov  6 008:09:37 1994",
        "Nov      Sun      6 8:9:7 1994",
        "06 Nov 1994 08:49:37 GMT",
        "06-Nov-94 08:49:37 GMT",
        "Nov  6 08:49:37 1994",
        "06 Nov 1994 08:49:37",
        "06-Nov-94 08:49:37",
        "1994 Nov 6 08:49:37",
        "GMT 08:49:37 06-Nov-94 Sunday",
        "94 6 Nov 08:49:37",
        "1994 Nov 6",
        "06-Nov-94",
        "Sun Nov 6 94",
        "1994.Nov.6",
        "Sun/Nov/6/94/GMT",
        "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 1994 08:49:37 cet",
        "Sun, 06 Nov 1994 08:49:37 utc",
        "Sun, 06 Nov 1994 08:49:37 gmt",
        "06 Nov 1994 08:49:37 EST",
        "Sun, 06 Nov 1994 08:49:37 UT",
        "Sun, 12 Sep 2004 15:05:58 -0700",
        "Sat, 11 Sep 2004 21:32:11 +0200",
        "20040912 15:05:58 -0700",
        "20040911 +0200",
        "Thu, 01-Jan-1970 00:59:59 GMT",
        "Thu, 01-Jan-1970 01:00:00 GMT",
        "Sat, 15-Apr-17 21:01:22 GMT",
        "Thu, 19-Apr-2007 16:00:00 GMT",
        "Thu, 19/Apr\\2007 16:00:00 GMT",
        "Fri, 1 Jan 2010 01:01:50 GMT",
        "Wednesday, 1-Jan-2003 00:00:00 GMT",
        ", 1-Jan-2003 00:00:00 GMT",
        "1-Jan-2003 00:00:00 GMT",
        "Wed,18-Apr-07 22:50:12 GMT",
        "BillyWonka  , 18-Apr-07 22:50:12 GMT",
        "BillyWonka  , 18-Apr-07 22:50:12",
        "BillyWonka  ,  18-apr-07   22:50:12",
        "Mon, 18-Apr-1977 22:50:13 GMT",
        "Mon, 18-Apr-77 22:50:13 GMT",
        "Sat, 15-Apr-17\"21:01:22\"GMT",
        "Partyday, 18- April-07 22:50:12",
        "Partyday, 18 - Apri-07 22:50:12",
        "Wednes, 1-Januar-2003 00:00:00 GMT",
        "Sat, 15-Apr-17 21:01:22",
        "Sat, 15-Apr-17 21:01:22 GMT-2",
        "Sat, 15-Apr-17 21:01:22 GMT BLAH",
        "Sat, 15-Apr-17 21:01:22 GMT-0400",
        "Sat, 15-Apr-17 21:01:22 GMT-0400 (EDT)",
        "Sat, 15-Apr-17 21:01:22 DST",
        "Sat, 15-Apr-17 21:01:22 -0400",
        "Sat, 15-Apr-17 21:01:22 (hello there)",
        "Sat, 15-Apr-17 21:01:22 11:22:33",
        "Sat, 15-Apr-17 ::00 21:01:22",
        "Sat, 15-Apr-17 boink:z 21:01:22",
        "Sat, 15-Apr-17 91:22:33 21:01:22",
        "Thu Apr 18 22:50:12 2007 GMT",
        "22:50:12 Thu Apr 18 2007 GMT",
        "Thu 22:50:12 Apr 18 2007 GMT",
        "Thu Apr 22:50:12 18 2007 GMT",
        "Thu Apr 18 2007 22:50:12 GMT",
        "Thu Apr 18 2007 GMT 22:50:12",
        "\"Thu Apr 18 22:50:12 2007 GMT\"",
        "-\"22:50:12 Thu Apr 18 2007 GMT\"",
        "*\"Thu 22:50:12 Apr 18 2007 GMT\"",
        ";\"Thu Apr 22:50:12 18 2007 GMT\"",
        ".\"Thu Apr 18 22:50:12 2007 GMT\"",
        "\"Thu Apr 18 2007 22:50:12 GMT\"",
        "\"Thu Apr 18 2007 GMT 22:50:12\"",
        "15-Sat, Apr-17 21:01:22 GMT",
        "15-Sat, Apr 21:01:22 GMT 17",
        "15-Sat, Apr 21:01:22 GMT 2017",
        "15 Apr 21:01:22 2017",
        "15 17 Apr 21:01:22",
        "Apr 15 17 21:01:22",
        "Apr 15 21:01:22 17",
        "2017 April 15 21:01:22",
        "15 April 2017 21:01:22",
        "98 April 17 21:01:22",
        "Thu, 012-Aug-2008 20:49:07 GMT",
        "Thu, 999999999999-Aug-2007 20:49:07 GMT",
        "Thu, 12-Aug-2007 20:61:99999999999 GMT",
        "IAintNoDateFool",
        "Thu Apr 18 22:50 2007 GMT",
        "20110623 12:34:56",
        "20110023 12:34:56",
        "20110632 12:34:56",
        "20110623 56:34:56",
        "20111323 12:34:56",
        "20110623 12:34:79",
        "20110623 12:3",
        "20110623 1:3",
        "20110623 1:30",
        "20110623 12:12:3",
        "20110623 01:12:3",
        "20110623 01:99:30",
        "Thu, 01-Jan-1970 00:00:00 GMT",
        "Thu, 31-Dec-1969 23:59:58 GMT",
        "Thu, 31-Dec-1969 23:59:59 GMT",
        "Thu, 01-Jan-1583 00:00:00 GMT",
        "Thu, 01-Jan-1499 00:00:00 GMT",
        "2094 Nov 6 08:49:37",
        "01 Jan 2001 8:0:0",
        "01 Jan 2001 8:00:0",
        "29 Feb 2023 12:00:00 GMT",
        "31 Apr 2024 12:00:00 GMT",
        "30 Feb 2024 12:00:00 GMT",
        "01-13-2024",
        "32 Jan 2024",
        "31 Jan 2024",
        "32 Feb 2024",
        "32 Mar 2024",
        "32 Apr 2024",
        "32 May 2024",
        "32 Jun 2024",
        "32 Jul 2024",
        "32 Aug 2024",
        "32 Sep 2024",
        "32 Oct 2024",
        "32 Nov 2024",
        "32 Dec 2024",
        "Sun, 06 Nov 1994 08:49:37 +0530",
        "Sun, 06 Nov 1994 08:49:37 +0545",
        "06 Nov 1994 08:49:37 Z",
        "06 Nov 1994 08:49:37 A",
        "06 Nov 1994 08:49:37 B",
        "06 Nov 1994 08:49:37 C",
        "06 Nov 1994 08:49:37 D",
        "06 Nov 1994 08:49:37 E",
        "06 Nov 1994 08:49:37 F",
        "06 Nov 1994 08:49:37 G",
        "06 Nov 1994 08:49:37 H",
        "06 Nov 1994 08:49:37 I",
        "06 Nov 1994 08:49:37 J",
        "06 Nov 1994 08:49:37 K",
        "06 Nov 1994 08:49:37 L",
        "06 Nov 1994 08:49:37 M",
        "06 Nov 1994 08:49:37 N",
        "06 Nov 1994 08:49:37 O",
        "06 Nov 1994 08:49:37 P",
        "06 Nov 1994 08:49:37 Q",
        "06 Nov 1994 08:49:37 R",
        "06 Nov 1994 08:49:37 S",
        "06 Nov 1994 08:49:37 T",
        "06 Nov 1994 08:49:37 U",
        "06 Nov 1994 08:49:37 V",
        "06 Nov 1994 08:49:37 W",
        "06 Nov 1994 08:49:37 X",
        "06 Nov 1994 08:49:37 Y",
        "GMT+05:30",
        "GMT-08:00",
        "1994-11-06T08:49:37Z",
        "1994-11-06 08:49:37.123 GMT",
        "19941106T084937Z",
        "19 Jan 2038 03:14:07 GMT",
        "19 Jan 2038 03:14:08 GMT",
        "01 Jan 69 00:00:00 GMT",
        "01 Jan 1500 00:00:00 GMT",
        "Sun, 06-Nov/1994 08:49:37",
        "Sun,    06 Nov   1994   08:49:37 GMT",
        "  Sun, 06 Nov 1994 08:49:37 GMT  ",
        "Date: Sun, 06 Nov 1994 08:49:37 GMT",
        "Monday, 06 Nov 1994 08:49:37 GMT",
    ]

    private static let invalidExpires = [
        "THU, 18 Aug 2050 02:01:18 GMT",
        "Thu, 18 AUG 2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02:01:18 gMT",
        "Thu, 18 Aug 2050 02:01:18 UTC",
        "Thu, 18 Aug 2050 02:01:18 AEST",
        "Thu, 18 Aug 50 02:01:18 GMT",
        "Thu 18 Aug 2050 02:01:18 GMT",
        "Thu, 18  Aug  2050 02:01:18 GMT",
        "Thu, 18-Aug-2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT",
        "Thu, 18 Aug 2050 2:01:18 GMT",
        "Thu, 18 Aug 2050 2:01:18 GMT, Thu, 18 Aug 2050 2:01:19 GMT",
        "0",
    ]
}
