// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Clones} from "../interfaces/Clones.sol";
import {CloneToken} from "../tokens/CloneToken.sol";
import {Curve} from "./Curve.sol";
import {Graduator} from "./Graduator.sol";

/// @title Makes tokens with their curves; the one address whose logs name every curve there is.
contract Launchpad {
    struct Launch {
        string name;
        string symbol;
        /// ETH is zero.
        address pair;
        address creator;
        /// The pair amount the curve pretends to hold at first; it graduates when it has raised three times that.
        uint128 virtualPair;
        uint16 creatorTaxBps;
        uint16 snipeStartBps;
        uint16 snipeSeconds;
        /// 2 or 3: the kind of pool it graduates into.
        uint8 poolVersion;
    }

    event CurveLaunched(
        address indexed curve, address indexed token, address indexed pair, Curve.Terms terms, string name, string symbol
    );

    error PairNotAllowed(address pair);
    error TaxTooHigh();
    error ReserveOutOfRange();
    error UnknownPoolVersion(uint8 version);

    /// One thousand million tokens, four fifths for sale. With this virtual part the pool opens at the curve's last
    /// price: saleSupply * (virtualToken - saleSupply) / virtualToken = poolSupply.
    uint128 public constant TOTAL_SUPPLY = 1_000_000_000e18;
    uint128 public constant SALE_SUPPLY = 800_000_000e18;
    uint128 public constant VIRTUAL_TOKEN = 1_066_666_666_666666666666666667;
    uint16 public constant CURVE_FEE_BPS = 100;
    uint16 public constant MAX_CREATOR_TAX_BPS = 500;
    uint16 public constant MAX_SNIPE_BPS = 8_000;

    address public immutable tokenCode;
    address public immutable curveCode;
    Graduator public immutable graduator;
    address public immutable treasury;
    address public immutable dollar;
    address[] private _curves;
    mapping(address token => address) public curveOf;

    constructor(address tokenCode_, address curveCode_, Graduator graduator_, address treasury_, address dollar_) {
        (tokenCode, curveCode, graduator) = (tokenCode_, curveCode_, graduator_);
        (treasury, dollar) = (treasury_, dollar_);
    }

    function launch(Launch calldata wish) external returns (address curve, address token) {
        if (wish.pair != address(0) && wish.pair != dollar) revert PairNotAllowed(wish.pair);
        if (wish.creatorTaxBps > MAX_CREATOR_TAX_BPS || wish.snipeStartBps > MAX_SNIPE_BPS) revert TaxTooHigh();
        if (wish.poolVersion != 2 && wish.poolVersion != 3) revert UnknownPoolVersion(wish.poolVersion);
        // Bounds that keep every product of the curve's reserves far inside 256 bits, and rounding below notice.
        if (wish.virtualPair < 1e6 || wish.virtualPair > 1e24) revert ReserveOutOfRange();

        bytes32 salt = bytes32(_curves.length);
        token = Clones.clone(tokenCode, salt);
        curve = Clones.clone(curveCode, salt);
        _curves.push(curve);
        curveOf[token] = curve;
        CloneToken(token).born(wish.name, wish.symbol, TOTAL_SUPPLY, curve);
        Curve.Terms memory terms = Curve.Terms({
            token: token,
            pair: wish.pair,
            creator: wish.creator,
            virtualPair: wish.virtualPair,
            virtualToken: VIRTUAL_TOKEN,
            saleSupply: SALE_SUPPLY,
            poolSupply: TOTAL_SUPPLY - SALE_SUPPLY,
            curveFeeBps: CURVE_FEE_BPS,
            creatorTaxBps: wish.creatorTaxBps,
            snipeStartBps: wish.snipeStartBps,
            snipeSeconds: wish.snipeSeconds,
            launchedAt: uint48(block.timestamp),
            poolVersion: wish.poolVersion
        });
        Curve(payable(curve)).open(terms, graduator, treasury);
        emit CurveLaunched(curve, token, wish.pair, terms, wish.name, wish.symbol);
    }

    function curveCount() external view returns (uint256) {
        return _curves.length;
    }

    function curveAt(uint256 index) external view returns (address) {
        return _curves[index];
    }
}
